// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

extension PluginEntry {
    /// The sample plugin as a library whose function takes a download as its second argument.
    fileprivate static func loader(_ url: String = "https://example.com/list.gz") -> PluginEntry {
        .main(
            .app,
            permitted: [.exact(.clean)],
            handlers: [
                FunctionBinding(
                    identifier: .clean,
                    symbol: "load",
                    arguments: [.containerPath, .download(url), .cancelFlag],
                    result: .int32(.zero)
                )
            ],
            grants: Grants(network: true)
        )
    }
}

@Suite(
    "A bound function takes a download as an argument, and its task waits for the end of the download",
    .proves("C24")
)
struct FunctionDownloadTests {
    let host = SchedulerDriver.forTransfers(.loader())

    private var files: [String?] { host.ledger.transfers.map(\.file) }
    private var function: LaunchPlan? { host.plans.last { $0.lane == .background } }

    private func endDownload(_ result: TransferEnd.Result = .finished, _ fault: TransferFault? = nil) {
        host.enterLibrary()
        host.endTry(result, fault)
        host.exit(host.transferPlan)
    }

    /// Ends the download, and lets advisory policies pass until the launch of the function.
    private func runFunction(after result: TransferEnd.Result = .finished, _ fault: TransferFault? = nil) {
        let launched = host.batches.count
        endDownload(result, fault)
        for _ in 1...60 where host.batches.count == launched { host.advance(by: .minutes(1)) }
    }

    private func endFunction(as outcome: CompletionOutcome = .success) {
        guard let plan = function else { return }
        host.enter(plan, receives: false)
        host.complete(.clean, as: outcome, in: plan)
        host.exit(plan)
        host.advance(by: .hours(1))
    }

    @Test func `a submission begins the download, and the task waits for its end`() throws {
        host.submit(.clean)
        let transfer = try #require(host.ledger.transfers.first)
        #expect(transfer.label == TaskIdentifier.clean.text && transfer.session.text == "argument-2")
        #expect(transfer.url == "https://example.com/list.gz")
        #expect(host.reasons(.clean).contains(.downloadUnfinished(.app)) && host.batches.isEmpty)
        runFunction()
        #expect(host.batches == [[.clean]] && host.endedSessions.isEmpty)
    }

    @Test func `the function gets the path of the file, which is taken after its success`() throws {
        host.submit(.clean)
        runFunction()
        let file = try #require(files.first ?? nil)
        #expect(try #require(function).files == [.clean: [2: file]])
        endFunction()
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.ledger.transfers.map(\.isTaken) == [true])
    }

    @Test func `after a failed download the function gets no file`() throws {
        host.submit(.clean)
        runFunction(after: .fatal, .httpStatus)
        #expect(host.batches == [[.clean]])
        #expect(try #require(function).files.isEmpty)
    }

    @Test func `after a failed download the function gets no file of an earlier request`() throws {
        host.submit(.clean, after: .hours(1))
        endDownload()
        #expect(files.count == 1 && files.first != nil)
        host.submit(.clean)
        #expect(host.ledger.transfers.map(\.isTaken) == [true, false])
        runFunction(after: .fatal, .httpStatus)
        #expect(host.batches == [[.clean]])
        #expect(try #require(function).files.isEmpty)
    }

    @Test func `a host that crashes before it begins the download of a new request fetches no file of the old one`() {
        host.submit(.clean, after: .hours(1))
        endDownload()
        host.commits = .held
        host.submit(.clean)
        host.writeNextCommit()
        host.commits = .written
        host.restart()
        #expect(host.ledger.transfers.map(\.isTaken) == [true, false])
        #expect(host.reasons(.clean).contains(.downloadUnfinished(.app)))
    }

    @Test func `a request during the run of its function keeps its own file after the end of this run`() throws {
        host.submit(.clean)
        runFunction()
        let first = try #require(function)
        host.enter(first, receives: false)
        host.submit(.clean)
        #expect(host.ledger.transfers.map(\.isTaken) == [true, false])
        endDownload()
        host.complete(.clean, as: .success, in: first)
        host.exit(first)
        #expect(host.ledger.transfers.map(\.isTaken) == [true, false])
        host.advance(by: .hours(1))
        let newest = try #require(files.last ?? nil)
        #expect(try #require(function).files == [.clean: [2: newest]])
    }

    @Test func `after a failure of the function the next submission fetches the file again`() throws {
        host.submit(.clean)
        runFunction()
        endFunction(as: .failure)
        #expect(host.outcomes(of: .clean) == [.failed] && host.ledger.transfers.map(\.isTaken) == [true])
        host.submit(.clean)
        #expect(
            host.ledger.transfers.map(\.isTaken) == [false] && host.reasons(.clean).contains(.downloadUnfinished(.app))
        )
        runFunction()
        let newest = try #require(files.last ?? nil)
        #expect(try #require(function).files == [.clean: [2: newest]])
        endFunction()
        #expect(host.ledger.transfers.map(\.isTaken) == [true])
    }

    @Test func `the file of a cancelled or lapsed request is taken`() {
        host.submit(.clean, after: .hours(1))
        endDownload()
        host.cancel(.clean)
        #expect(host.ledger.transfers.map(\.isTaken) == [true])
        host.submit(.clean, after: .hours(2), until: .hours(3), needsPower: true)
        endDownload()
        host.change(power: false)
        host.advance(by: .hours(4))
        #expect(host.pending.isEmpty && host.ledger.transfers.map(\.isTaken) == [true])
    }

    @Test func `the file of a download that ends after the cancellation of its request is taken`() {
        host.submit(.clean)
        host.enterLibrary()
        host.cancel(.clean)
        host.endTry(.finished)
        #expect(host.ledger.transfers.map(\.isTaken) == [true])
    }

    @Test func `a submission deletes the records of earlier downloads, with and without a file`() {
        for result in [TransferEnd.Result.finished, .fatal, .finished] {
            host.submit(.clean)
            #expect(host.ledger.transfers.count == 1)
            runFunction(after: result, result == .fatal ? .httpStatus : nil)
            endFunction()
        }
    }

    @Test func `a further submission waits for the open download and begins no other one`() {
        host.submit(.clean)
        host.submit(.clean)
        #expect(host.ledger.transfers.count == 1 && host.pending.contains(.clean))
        runFunction()
        #expect(host.batches == [[.clean]])
    }

    @Test func `after an upgrade with another URL the function gets no file of the old URL`() throws {
        host.submit(.clean, after: .hours(1))
        endDownload()
        let new = "https://example.com/v2/list.gz"
        host.install(.loader(new))
        #expect(host.ledger.transfers.map(\.url) == ["https://example.com/list.gz", new])
        #expect(host.reasons(.clean).contains(.downloadUnfinished(.app)))
        endDownload()
        let newest = try #require(files.last ?? nil)
        host.advance(by: .hours(2))
        #expect(try #require(function).files == [.clean: [2: newest]])
    }

    @Test func `a request that has to start soon is refused while its function needs a download`() throws {
        let request = TaskRequest(identifier: .clean, kind: .processing)
        let answer = host.ask {
            .submitted(Submission(request: request, submitter: .user, isOnlyIfSoon: true), reply: $0)
        }
        let refusal = try #require(answer?.refusal)
        #expect(refusal.subReason == .noCapacityNow)
        #expect(refusal.message.contains(Reason.downloadUnfinished(.app).message))
        #expect(host.ledger.transfers.isEmpty && host.pending.isEmpty)
    }

    @Test func `a task that starts after the retention of transfers gets its file`() throws {
        host.submit(.clean, after: .hours(8 * 24))
        endDownload()
        let file = try #require(files.first ?? nil)
        host.advance(by: .hours(9 * 24))
        #expect(host.ledger.transfers.count == 1)
        #expect(try #require(function).files == [.clean: [2: file]])
    }

    @Test func `a refused download is journaled with the task, whose function gets no file`() throws {
        let host = SchedulerDriver.forTransfers(.loader()) { $0.limits.transfer = 0 }
        host.submit(.clean)
        let entries = host.entries(.downloadRefused)
        #expect(entries.map(\.label) == [TaskIdentifier.clean.text])
        #expect(entries.first?.message.contains("limits.transfer") == true)
        #expect(try #require(host.plans.last { $0.lane == .background }).files.isEmpty)
    }

    @Test func `a restart of the host neither loses the download nor lets the task run before its end`() throws {
        host.submit(.clean)
        host.enterLibrary()
        host.forgetThePast()
        host.restart()
        #expect(host.reasons(.clean).contains(.downloadUnfinished(.app)) && host.batches.isEmpty)
        #expect(host.ledger.transfers.count == 1)
        runFunction()
        let file = try #require(files.first ?? nil)
        #expect(try #require(function).files == [.clean: [2: file]])
    }

    @Test func `a task whose file waits runs with this file after a restart of the host`() throws {
        host.submit(.clean, after: .hours(1))
        endDownload()
        let file = try #require(files.first ?? nil)
        host.forgetThePast()
        host.restart()
        host.advance(by: .hours(1))
        #expect(host.ledger.transfers.count == 1)
        #expect(try #require(function).files == [.clean: [2: file]])
    }
}
