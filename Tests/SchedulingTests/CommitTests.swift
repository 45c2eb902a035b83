// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A change takes effect only when it is on disk")
struct CommitTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test(.proves(33)) func `a submission is answered after its commit`() {
        host.commits = .held
        #expect(host.submit(.clean, after: .hours(1)) == nil)
        #expect(host.pending.isEmpty)
        host.writeNextCommit()
        #expect(host.lastAnswer?.submission != nil)
        #expect(host.pending == [.clean])
    }

    @Test(.proves("C14"))
    func `a submission whose commit fails is refused as not recorded and leaves no request`() throws {
        host.commits = .failing
        let refusal = try #require(host.submit(.clean, after: .hours(1))?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .notRecorded)
        #expect(refusal.message.contains("disk full"))
        host.commits = .written
        #expect(host.pending.isEmpty)
        host.advance(by: .hours(2))
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(23)) func `a replacement whose commit fails leaves the first request unchanged`() throws {
        let first = try #require(host.submit(.clean, after: .hours(1))?.submission)
        host.commits = .failing
        host.submit(.clean, after: .hours(9))
        host.commits = .written
        #expect(host.request(.clean)?.number == first)
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(23)) func `the replaced request is not launched while the commit of its replacement is in flight`() {
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        host.submit(.clean, after: .hours(3))
        host.advance(by: .hours(2))
        #expect(host.plans.isEmpty && host.reasons(.clean) == [.beingRecorded])
        host.writeHeldCommits()
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(23))
    func `the last of three submissions replaces the first when the second one's commit fails`() throws {
        let first = try #require(host.submit(.clean, after: .hours(1))?.submission)
        host.commits = .held
        host.submit(.clean, after: .hours(2))
        host.submit(.clean, after: .hours(3))
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.lastAnswer?.replaced == first)
        #expect(host.entries(.replaced).contains { $0.submission == first })
    }

    @Test(.proves(42)) func `a cancelled request stays pending until the commit of the cancellation`() {
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        #expect(host.cancel(.clean) == nil)
        #expect(host.pending == [.clean])
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(1) && host.pending.isEmpty)
    }

    @Test(.proves(42))
    func `a cancellation whose commit fails is answered as not recorded and leaves the request pending`() {
        host.submit(.clean, after: .hours(1))
        host.commits = .failing
        #expect(host.cancel(.clean)?.isNotRecorded == true)
        host.commits = .written
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(42)) func `a running task whose cancellation was not recorded is requeued after a crash`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        #expect(host.cancel(.clean)?.isNotRecorded == true)
        host.commits = .written
        host.crash()
        #expect(host.pending == [.clean])
    }

    @Test(.proves("C1")) func `a launch whose commit fails gets no plan and is retried`() {
        host.commits = .held
        host.runners = .held
        host.submit(.clean)
        host.writeNextCommit()
        host.bringRunners()
        host.failNextCommit()
        #expect(host.plans.isEmpty && host.dismissed.count == 1)
        #expect(host.pending == [.clean])
        #expect(host.reasons(.clean).map(\.code) == ["runner-unavailable"])
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C1"))
    func `a runner that ends during the commit of its launch runs nothing, and its task is not charged`() throws {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        let launch = host.heldRunners[0]
        host.bringRunners()
        host.send(.runnerEnded(launch, .signaled(9), nil))
        host.writeHeldCommits()
        #expect(host.plans.isEmpty)
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.launchOutcomes == [.lost])
        #expect(try #require(host.request(.clean)).retry.attempts == 0)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C1"))
    func `a runner reported unavailable during the commit of its launch does not disturb the launch`() {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        let launch = host.heldRunners[0]
        host.bringRunners()
        host.send(.runnerUnavailable(launch, message: "late"))
        host.writeHeldCommits()
        #expect(host.batches == [[.clean]])
        host.runToTheEnd()
        #expect(host.ledger.runningLaunches.isEmpty)
    }

    @Test(.proves("C3")) func `the commits of completions are retried in order until they succeed`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.commits = .failing
        host.complete(.clean)
        host.complete(.vacuum, as: .noData)
        host.advance(by: .seconds(10))
        #expect(host.journal.isEmpty)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.journal.compactMap(\.label) == ["com.example.app.clean", "com.example.app.vacuum"])
        #expect(host.launchOutcomes == [.completed])
        #expect(host.ledger.runningLaunches.isEmpty)
    }

    @Test(.proves("C3")) func `two completions are journaled in order although the commit of the first one fails`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.commits = .held
        host.complete(.clean)
        host.complete(.vacuum)
        host.failNextCommit()
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.journal.compactMap(\.label) == ["com.example.app.clean", "com.example.app.vacuum"])
    }

    @Test(.proves("C3")) func `a lane stays busy until the end of its launch is on disk`() {
        host.submit(.clean)
        host.submit(.vacuum)
        host.enter()
        host.commits = .held
        host.complete(.clean)
        host.advance(by: .seconds(5))
        #expect(host.plans.count == 1)
        host.writeHeldCommits()
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean], [.vacuum]])
    }

    @Test(.proves("C3")) func `an interrupted task is pending only after the commit that requeues it`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        host.crash()
        #expect(host.pending.isEmpty)
        host.advance(by: .minutes(1))
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.outcomes(of: .clean) == [.crashed])
        #expect(host.plans.count == 2 || host.pending == [.clean])
    }

    @Test(.proves("C11")) func `a started event that cannot be recorded is retried`() {
        host.commits = .failing
        host.install(.app(version: "2.0"))
        #expect(host.plans.isEmpty)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.plans.map(\.lane) == [.event])
        #expect(host.entries(.pluginChanged).count == 1)
    }

    @Test
    func `the delay after an unavailable runner doubles with each failure in a row and starts anew after a success`() {
        let host = SchedulerDriver(.app())
        func delay() -> Duration? {
            for case .runnerUnavailable(let until, _) in host.reasons(.clean) {
                return until - host.clock.now.monotonic
            }
            return nil
        }
        host.runners = .unavailable
        host.submit(.clean)
        #expect(delay() == .seconds(1))
        host.advance(by: .seconds(1))
        #expect(delay() == .seconds(2))
        host.advance(by: .seconds(2))
        #expect(delay() == .seconds(4))
        host.runners = .ready
        host.advance(by: .seconds(4))
        host.runToTheEnd()
        host.advance(by: .minutes(1))
        host.runners = .unavailable
        host.submit(.clean)
        #expect(delay() == .seconds(1))
    }
}
