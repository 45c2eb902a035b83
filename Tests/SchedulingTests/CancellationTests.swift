// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A cancellation removes pending requests and keeps running tasks from being requeued")
struct CancellationTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    @Test(.proves(42))
    func `a cancelled request is removed and journaled, and is not launched at its earliest begin`() throws {
        let number = try #require(host.submit(.clean, after: .hours(1))?.submission)
        #expect(host.cancel(.clean) == .cancelled(1))
        #expect(host.pending.isEmpty)
        #expect(host.entries(.cancelled).map(\.submission) == [number])
        host.advance(by: .hours(2))
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(42))
    func `a cancellation of an identifier without a request cancels nothing and adds no journal entry`() {
        #expect(host.cancel(.clean) == .cancelled(0))
        #expect(host.cancel("com.example.nobody.knows", of: nil) == .cancelled(0))
        #expect(host.journal.isEmpty)
    }

    @Test(.proves(42)) func `a plugin cannot cancel a request of another plugin`() {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        #expect(host.cancel(.sweep, of: .app) == .cancelled(0))
        #expect(host.pending == [.sweep])
        #expect(host.cancel(.sweep, of: nil) == .cancelled(1))
    }

    @Test(.proves(43))
    func `cancelling all requests of a plugin includes those of its extension and no other plugin's`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.vacuum, after: .hours(1), by: .plugin(.keyboard))
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        #expect(host.cancelAll(of: .app) == .cancelled(2))
        #expect(host.pending == [.sweep])
        #expect(host.entries(.cancelled).count == 2)
    }

    @Test(.proves(43)) func `an extension that cancels all requests cancels those of its main plugin`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.cancelAll(of: .keyboard) == .cancelled(1))
    }

    @Test(.proves(44)) func `a running task continues after a cancellation of its identifier`() {
        host.submit(.clean)
        host.enter()
        #expect(host.cancel(.clean) == .cancelled(0))
        #expect(host.running == [.clean])
        #expect(host.expirations.isEmpty && host.killed.isEmpty)
        host.complete(.clean)
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves("C3")) func `a task cancelled while it ran is not requeued after a crash`() {
        host.submit(.clean)
        host.enter()
        host.cancel(.clean)
        host.crash()
        #expect(host.pending.isEmpty)
        #expect(host.outcomes(of: .clean) == [.crashed])
        #expect(host.lastEntry(of: .clean)?.event == .cancelled)
        #expect(host.entries(.task(.crashed)).allSatisfy { !$0.message.contains("may run again") })
    }

    @Test(.proves("C3")) func `a task cancelled while its launch was being committed is not requeued after a crash`() {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        host.bringRunners()
        host.cancel(.clean)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(0))
        host.enter()
        host.crash()
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C3"))
    func `a cancellation during the commit that requeues a crashed task removes that task`() throws {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.crash()
        #expect(host.cancel(.clean) == nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(1))
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        host.advance(by: .hours(1))
        #expect(host.plans.count == 1)
    }

    @Test(.proves("C3"))
    func `a cancellation during the commit that requeues a crashed task fails if that commit fails`() {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.crash()
        host.cancel(.clean)
        host.failNextCommit()
        host.commits = .written
        #expect(host.lastAnswer?.isNotRecorded == true)
        host.advance(by: .seconds(2))
        #expect(host.pending == [.clean])
        #expect(host.cancel(.clean) == .cancelled(1))
    }

    @Test(.proves("C3"))
    func `if the commit of a crash fails, the crashed task's cancellation fails, but not that of another request`() {
        host.submit(.clean)
        host.enter()
        host.submit(.vacuum, after: .hours(1))
        host.commits = .held
        host.crash()
        host.submit(.vacuum, after: .hours(2))
        host.cancel(.vacuum)
        let other = ReplyToken(rawValue: host.lastReply)
        host.cancel(.clean)
        host.failNextCommit()
        #expect(host.lastAnswer?.isNotRecorded == true && host.answers[other] == nil)
        host.writeHeldCommits()
        #expect(host.answers[other] == .cancelled(1) && host.request(.vacuum) == nil)
    }

    @Test(.proves(42))
    func `a second cancellation of a pending request waits for the first one's commit`() {
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        host.cancel(.clean)
        #expect(host.cancel(.clean) == nil)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(1) && host.pending.isEmpty)
    }

    @Test(.proves(44)) func `a second cancellation of a running task waits for the first one's commit`() {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.cancel(.clean)
        #expect(host.cancel(.clean) == nil)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(0))
        host.crash()
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(44)) func `a cancellation of a task whose completion is not yet committed waits for that commit`() {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.complete(.clean)
        #expect(host.cancel(.clean) == nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(0))
    }

    @Test(.proves(42))
    func `a cancellation during the commit of a replacement removes the first request if that commit fails`() {
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        host.submit(.clean, after: .hours(2))
        host.cancel(.clean)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(1) && host.pending.isEmpty)
    }

    @Test(.proves("C3"))
    func `a cancellation removes a newer pending request and keeps the running older task from being requeued`() {
        host.submit(.clean)
        host.enter()
        host.submit(.clean, after: .hours(1))
        #expect(host.cancel(.clean) == .cancelled(1))
        host.crash()
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C3"))
    func `a cancellation before the catalogue is read removes a task that the previous host left running`() {
        host.submit(.clean)
        host.enter()
        host.scheduler = Scheduler(
            configuration: host.configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        (host.processes, host.catalogue) = ([:], Catalogue())
        host.cancel(.clean, of: nil)
        host.sendCatalogue()
        #expect(host.lastAnswer == .cancelled(1))
        #expect(host.pending.isEmpty && host.batches == [[.clean]])
    }

    @Test(.proves(26)) func `a cancellation of one request does not delay another request of its plugin`() {
        host.runners = .held
        host.submit(.clean)
        host.submit(.vacuum)
        host.cancel(.clean)
        host.bringRunners()
        #expect(host.batches == [[.vacuum]])
    }

    @Test(.proves(42))
    func `a launch whose only request is cancelled before its runner is ready dismisses the runner`() {
        host.runners = .held
        host.submit(.clean)
        host.cancel(.clean)
        host.bringRunners()
        #expect(host.plans.isEmpty && host.dismissed.count == 1)
    }

    @Test(.proves("C3"))
    func `a process that exits during the commit of a cancellation is not killed and causes no busy loop`() {
        host.processesObey = false
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.cancel(.clean)
        host.complete(.clean)
        host.exit()
        // This exceeds the time to linger; the process has already exited.
        host.advance(by: .minutes(1))
        #expect(host.killed.isEmpty && host.lastAnswer == nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(0) && host.outcomes(of: .clean) == [.succeeded])
        #expect(host.launchOutcomes == [.completed])
    }

    @Test(.proves(44))
    func `a cancellation that waits for a commit is committed before newer submissions of its identifier`() throws {
        host.commits = .held
        host.submit(.clean, after: .hours(1))
        host.cancel(.clean)
        let cancellation = host.lastReply
        for _ in 1...3 { host.submit(.clean, after: .hours(1)) }
        #expect(host.heldCommits.count == 1)
        host.writeNextCommit()
        #expect(
            host.heldCommits.first?.changes.contains { if case .removeRequest = $0 { true } else { false } } == true
        )
        host.writeHeldCommits()
        #expect(host.answers[ReplyToken(rawValue: cancellation)] == .cancelled(1))
        #expect(host.pending == [.clean] && host.lastAnswer?.submission != nil)
    }

    @Test(.proves("C17"))
    func `after the twentieth replacement by one launch, one journal entry counts all further replacements`() {
        host.submit(.clean)
        host.enter()
        guard let plan = host.lastPlan else { return host.complain("nothing was launched") }
        // Only the first entries of single replacements are written.
        host.isStrict = false
        for _ in 1...50 {
            let request = TaskRequest(
                identifier: .vacuum,
                kind: .processing,
                earliestBegin: host.clock.now.wall + .hours(1)
            )
            let submission = Submission(request: request, submitter: .plugin(.app), launch: plan.number)
            _ = host.ask { .submitted(submission, reply: $0) }
        }
        host.complete(.clean, in: plan)
        let lines = host.entries(.replaced)
        #expect(lines.count == 21)
        #expect(lines.last?.message.hasPrefix("submissions of this launch replaced 29 more") == true)
    }

    @Test(.proves(44))
    func `after the hundredth cancellation by one launch, one journal entry counts all further cancellations`() {
        host.submit(.clean)
        host.enter()
        guard let plan = host.lastPlan else { return host.complain("nothing was launched") }
        // Only the first entries of single cancellations are written.
        host.isStrict = false
        for _ in 1...130 {
            host.submit(.vacuum, after: .hours(1))
            _ = host.ask { .cancelRequested(.vacuum, of: .app, from: plan.number, reply: $0) }
            #expect(host.lastAnswer == .cancelled(1))
        }
        #expect(host.entries(.cancelled).count == 100)
        host.complete(.clean, in: plan)
        let lines = host.entries(.cancelled)
        #expect(lines.count == 101)
        #expect(lines.last?.message.hasPrefix("this launch cancelled 30 more pending") == true)
        #expect(lines.last?.launch == plan.number)
    }

    @Test(.proves(44)) func `each cancellation by a caller outside of a launch has its own journal entry`() {
        host.isStrict = false
        for _ in 1...130 {
            host.submit(.vacuum, after: .hours(1))
            host.cancel(.vacuum)
        }
        #expect(host.entries(.cancelled).count == 130)
    }
}
