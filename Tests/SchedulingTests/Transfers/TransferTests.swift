// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite(
    "A transfer waits like a request, and the transfer library performs it under the rights of its plugin",
    .proves("C24")
)
struct TransferTests {
    let host = SchedulerDriver.forTransfers()

    @Test func `a transfer launches the transfer library in a lane of its own and without a budget`() throws {
        let number = try #require(host.download()?.submission)
        let plan = try #require(host.transferPlan)
        #expect(plan.lane == .transfer && plan.cause == .due && plan.budget.total == nil)
        #expect(plan.plugin.identifier == .app && plan.plugin.library == SchedulerDriver.transferLibrary)
        #expect(plan.plugin.permitted == [.exact(.transferHandler)])
        #expect(plan.tasks.map(\.work.identifier) == [.transfer(number, of: .app)])
    }

    @Test func `the stored payload is the description, and the plan has the places of the files`() throws {
        let number = try #require(host.download()?.submission)
        let payload = try #require(host.ledger.payload(of: number))
        let text = String(decoding: payload, as: UTF8.self)
        #expect(text.contains("url: https://example.com/a.bin\n") && !text.contains("host-"))
        let terms = try #require(host.transferPlan?.transferTerms[number]?.text)
        let place = try #require(host.ledger.transfers.first?.place)
        #expect(terms.contains("host-part: .transfers/\(place).part\nhost-file: .transfers/\(place)\n"))
    }

    @Test func `only with the operator's permission, a transfer may reach private addresses`() throws {
        let permitted = SchedulerDriver.forTransfers {
            $0.plugins[.app, default: PluginPolicy()].allowsPrivateAddresses = true
        }
        for (host, isPermitted) in [(host, false), (permitted, true)] {
            let number = try #require(host.download()?.submission)
            let terms = try #require(host.transferPlan?.transferTerms[number]?.text)
            #expect(terms.contains("host-private: 1\n") == isPermitted)
        }
    }

    @Test func `a transfer is refused without the grant of the network`() {
        let host = SchedulerDriver.forTransfers(.downloader(grants: .none))
        #expect(host.download()?.refusal?.subReason == .networkNotGranted)
    }

    @Test func `a transfer that an extension begins is refused`() {
        host.install(.downloader(), .keyboard())
        #expect(host.download(by: .keyboard)?.refusal?.code == .notPermitted)
        #expect(host.ledger.transfers.isEmpty)
    }

    @Test func `a transfer to a port that is not granted is refused`() {
        let host = SchedulerDriver.forTransfers(.downloader(grants: Grants(connect: [443])))
        #expect(host.download()?.refusal == nil)
        #expect(host.download("https://example.com:8443/")?.refusal?.subReason == .networkNotGranted)
    }

    @Test func `a transfer with another scheme than http and https is refused`() {
        #expect(host.download("file:///etc/passwd")?.refusal?.subReason == .notOffered)
    }

    @Test func `a secret header may only name a secret setting of the plugin`() {
        let good = TransferDescription.Header(name: "Authorization", value: "Bearer ${token}", isSecret: true)
        let bad = TransferDescription.Header(name: "Authorization", value: "Bearer ${other}", isSecret: true)
        #expect(host.download(header: good)?.refusal == nil)
        #expect(host.download(header: bad)?.refusal?.code == .notPermitted)
    }

    @Test func `a host without the transfer library refuses transfers and names the problem`() throws {
        let host = SchedulerDriver(.downloader())
        let refusal = try #require(host.download()?.refusal)
        #expect(refusal.subReason == .transferLibraryMissing)
    }

    @Test func `open transfers above the limit are refused, also while one runs`() {
        let host = SchedulerDriver.forTransfers { $0.limits.transfer = 1 }
        host.download()
        host.enterLibrary()
        #expect(host.download()?.refusal?.subReason == .transferLimit)
        host.endTry(.fatal, .httpStatus)
        #expect(host.download()?.refusal == nil)
    }

    @Test func `a discretionary transfer waits for external power and an idle machine`() {
        host.change(power: false, idle: false)
        host.download(isDiscretionary: true)
        #expect(host.transferPlan == nil)
        host.change(power: true)
        #expect(host.transferPlan == nil)
        host.change(idle: true)
        #expect(host.transferPlan != nil)
    }

    @Test func `only discretionary transfers have a rate, and each launch of the lane has an equal share of it`() throws
    {
        let host = SchedulerDriver.forTransfers {
            $0.transfers.discretionaryRate = 1_000_000
            $0.transferLaunches = 4
        }
        host.change(network: false)
        let slow = try #require(host.download(isDiscretionary: true)?.submission)
        let fast = try #require(host.download("https://example.com/b.bin")?.submission)
        host.change(network: true)
        let terms = try #require(host.transferPlan).transferTerms
        #expect(terms[slow]?.text.contains("host-rate: 250000\n") == true)
        #expect(terms[fast]?.text.contains("host-rate: 0\n") == true)
    }

    @Test(.proves(87))
    func `a discretionary transfer waits while the network is metered, and other transfers do not`() throws {
        host.change(.metered, to: true)
        let number = try #require(host.download(isDiscretionary: true)?.submission)
        #expect(host.transferPlan == nil)
        #expect(host.reasons(.transfer(number, of: .app)) == [.metered])
        host.download("https://example.com/b.bin")
        host.enterLibrary()
        #expect(host.transferPlan?.tasks.map(\.work.number).contains(number) == false)
        host.change(.metered, to: false)
        #expect(host.transferPlan?.tasks.map(\.work.number) == [number])
    }

    @Test func `a running discretionary transfer is expired when the network becomes metered`() throws {
        let number = try #require(host.download(isDiscretionary: true)?.submission)
        host.enterLibrary()
        host.change(.metered, to: true)
        #expect(host.expirations.map(\.tasks) == [[.transfer(number, of: .app)]])
        #expect(host.expirations.map(\.reason) == [.networkLost])
    }

    @Test func `the second launch of a plugin does not wait for a long transfer`() {
        host.download()
        host.enterLibrary()
        host.download("https://example.com/b.bin")
        #expect(host.plans.filter { $0.lane == .transfer }.count == 2)
        host.download("https://example.com/c.bin")
        #expect(host.plans.filter { $0.lane == .transfer }.count == 2)
    }
}

@Suite(
    "Tries of transfers charge no plugin, and a transfer ends without a result only when nothing moves",
    .proves(88, "C24")
)
struct TransferTryTests {
    let host = SchedulerDriver.forTransfers()

    @Test func `a finished transfer succeeds and keeps its file for the plugin`() throws {
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        host.endTry(.finished, bytes: 100)
        #expect(host.outcomes(of: .transfer(number, of: .app)) == [.succeeded])
        let transfer = try #require(host.ledger.transfers.first)
        #expect(transfer.state == .finished && transfer.bytes == 100 && transfer.file == transfer.filePath)
    }

    @Test func `a fatal end fails with its fault, and blames the machine`() throws {
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        host.endTry(.fatal, .httpStatus)
        #expect(host.outcomes(of: .transfer(number, of: .app)) == [.failed])
        #expect(host.lastEntry(of: .transfer(number, of: .app))?.blame == .machine)
        #expect(host.ledger.transfers.first?.fault == .httpStatus)
    }

    @Test func `a transient end is tried again after the delay that the server asks for, without an attempt`() throws {
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        host.endTry(.transient, .serverBusy, retryAfter: .seconds(3_600))
        host.exit(host.transferPlan)
        host.forgetThePast()
        host.advance(by: .seconds(3_000))
        #expect(host.transferPlan == nil)
        #expect(host.ledger.requests.map(\.retry.attempts) == [0])
        host.advance(by: .seconds(700))
        #expect(host.transferPlan?.tasks.first?.work.number == number)
    }

    /// Runs a try that moves nothing.
    private func failTry(on host: SchedulerDriver) {
        host.enterLibrary()
        host.endTry(.transient, .network, bytes: 0)
        host.exit(host.transferPlan)
        host.forgetThePast()
    }

    /// Lets time pass until the transfer is tried again.
    private func awaitTry(on host: SchedulerDriver) {
        for _ in 1...1_000 where host.transferPlan == nil { host.advance(by: .seconds(1)) }
    }

    @Test func `a transfer is open until nothing has moved for the limit, and fails at its next try`() throws {
        let limit: Duration = .seconds(2_000)
        let host = SchedulerDriver.forTransfers { $0.transfers.noProgressLimit = limit }
        let number = try #require(host.download()?.submission)
        failTry(on: host)
        let start = host.clock.now.wall
        for _ in 1...20 where host.ledger.transfers.first?.endedAt == nil {
            awaitTry(on: host)
            failTry(on: host)
            let isOver = host.clock.now.wall - start >= limit
            #expect((host.ledger.transfers.first?.endedAt != nil) == isOver)
        }
        #expect(host.ledger.transfers.first?.fault == .noProgress)
        #expect(host.ledger.requests.allSatisfy { $0.number != number })
    }

    @Test func `a clock that jumps ahead adds at most a day to the time without movement`() {
        host.download()
        failTry(on: host)
        awaitTry(on: host)
        host.stepWallClock(by: .days(400))
        failTry(on: host)
        #expect(host.ledger.transfers.first?.idle == .days(1))
        #expect(host.ledger.transfers.first?.endedAt == nil)
    }

    @Test func `a transfer whose launch is killed continues after a delay`() throws {
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        let plan = host.transferPlan
        host.forgetThePast()
        host.crash(plan, signal: 9)
        #expect(host.transferPlan == nil)
        awaitTry(on: host)
        #expect(host.transferPlan?.tasks.first?.work.number == number)
        #expect(host.ledger.transfers.first?.state == .waiting)
    }

    @Test func `a transfer whose network is lost continues when it returns, and charges nothing`() throws {
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        host.change(network: false)
        host.endTry(.transient, .network, bytes: 0)
        host.exit(host.transferPlan)
        host.forgetThePast()
        host.change(network: true)
        let work = try #require(host.transferPlan?.tasks.first?.work)
        #expect(work.number == number && work.retry.attempts == 0 && work.retry.notBefore == nil)
    }

    @Test func `a try that the host cuts off neither adds to the time without movement nor ends it`() throws {
        host.download()
        for _ in 1...2 {
            host.enterLibrary()
            host.endTry(.transient, .network, bytes: 0)
            host.exit(host.transferPlan)
            host.advance(by: .seconds(700))
        }
        let idle = try #require(host.ledger.transfers.first?.idle)
        host.enterLibrary()
        host.change(network: false)
        host.endTry(.transient, .network, bytes: 0)
        #expect(idle > .zero && host.ledger.transfers.first?.idle == idle)
    }

    @Test func `a crash in a transfer delays it, and ten without movement end it`() throws {
        let number = try #require(host.download()?.submission)
        for count in 1...10 {
            #expect(host.ledger.transfers.first?.endedAt == nil)
            host.enterLibrary()
            host.crash(host.transferPlan, on: .transfer(number, of: .app))
            host.forgetThePast()
            host.advance(by: .seconds(7))
            #expect(host.transferPlan == nil)
            if count < 10 { awaitTry(on: host) }
        }
        #expect(host.ledger.transfers.first?.fault == .libraryCrashed)
        #expect(host.ledger.requests.isEmpty)
    }

    @Test func `twenty losses of the host do not end a transfer`() throws {
        let number = try #require(host.download()?.submission)
        for _ in 1...20 {
            host.enterLibrary()
            host.restart()
        }
        #expect(host.transferPlan?.tasks.map(\.work.number) == [number])
        #expect(host.ledger.transfers.first?.state == .waiting)
    }
}

@Suite("The end of the last transfer of a session is reported once", .proves(87, "C24"))
struct TransferSessionTests {
    let host = SchedulerDriver.forTransfers()

    /// Runs two transfers of a session, the last of which ends as given.
    private func runTwo(_ last: TransferEnd.Result, _ fault: TransferFault? = nil) {
        host.change(network: false)
        host.download()
        host.download("https://example.com/b.bin")
        host.change(network: true)
        host.enterLibrary()
        host.endTry(.finished)
        #expect(host.endedSessions.isEmpty)
        host.endTry(last, fault, at: 1)
    }

    @Test func `the plugin is launched once with the event about its session`() throws {
        runTwo(.fatal, .httpStatus)
        let plan = try #require(host.plans.last { $0.lane == .event })
        #expect(plan.plugin == .downloader())
        guard case .event(let event)? = plan.tasks.first?.work else {
            Issue.record("the launch has no event")
            return
        }
        #expect(event.type == .transfersFinished && event.session?.text == "main")
        #expect(host.ledger.payload(of: event.number) == Array("main".utf8))
    }

    @Test func `a handled event deletes the results without a file, and keeps the files that were not taken`() throws {
        runTwo(.fatal, .httpStatus)
        let plan = try #require(host.plans.last { $0.lane == .event })
        host.enter(plan)
        let later = try #require(host.download(from: plan)?.submission)
        host.completeEvent(in: plan)
        #expect(host.ledger.transfers.map(\.state) == [.finished, .waiting])
        #expect(host.ledger.transfers.last?.number == later)
        #expect(host.ledger.transfers.first?.isTaken == false)
    }

    @Test func `a second end of a session replaces the waiting event about its first end`() {
        host.pause(.app)
        for _ in 1...2 {
            let number = host.download()?.submission
            if let number { host.cancel(.transfer(number, of: .app)) }
        }
        #expect(host.ledger.transfers.map(\.state) == [.cancelled, .cancelled])
        #expect(host.endedSessions == ["main"])
    }

    @Test func `a cancelled last transfer ends its session`() throws {
        host.change(network: false)
        let number = try #require(host.download()?.submission)
        host.cancel(.transfer(number, of: .app))
        #expect(host.ledger.transfers.map(\.state) == [.cancelled])
        #expect(host.plans.filter { $0.lane == .event }.count == 1)
    }

    @Test func `the end of a session is reported when the begin of a further transfer is not recorded`() {
        host.download()
        host.enterLibrary()
        host.commits = .held
        host.download("https://example.com/b.bin")
        host.endTry(.finished)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.ledger.transfers.map(\.state) == [.finished])
        #expect(host.plans.filter { $0.lane == .event }.count == 1)
    }

    @Test func `a transfer whose deadline passes ends as failed`() throws {
        host.change(network: false)
        host.download(expiresAt: host.clock.now.wall + .seconds(10))
        host.advance(by: .seconds(3_600))
        #expect(host.ledger.transfers.map(\.fault) == [.deadlinePassed])
    }

    @Test func `a paused transfer waits until it is resumed`() throws {
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        let identifier = TaskIdentifier.transfer(number, of: .app)
        let answer = host.ask { .transferPauseRequested(identifier, isPaused: true, reply: $0) }
        #expect(answer == .transferPaused(true))
        #expect(host.expirations.map(\.tasks) == [[identifier]])
        host.endTry(.transient, .network)
        host.exit(host.transferPlan)
        host.forgetThePast()
        host.advance(by: .seconds(3_600))
        #expect(host.transferPlan == nil)
        _ = host.ask { .transferPauseRequested(identifier, isPaused: false, reply: $0) }
        #expect(host.transferPlan != nil)
    }
}
