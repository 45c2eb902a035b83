// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued task runs as long as it progresses")
struct ContinuedProgressTests {
    let host = SchedulerDriver(.studio())

    /// Starts a continued task in its own launch and returns from entry. Returns the plan; nil when nothing was
    /// launched.
    private func start(_ identifier: TaskIdentifier = .album(1)) -> LaunchPlan? {
        host.submitContinued(identifier)
        host.enter()
        return host.lastPlan
    }

    @Test(.proves(77)) func `a continued task without progress expires after exactly thirty seconds`() {
        _ = start()
        host.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(host.expirations.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.expirations.map(\.tasks) == [[.album(1)]] && host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves(77)) func `each progress of a continued task restarts its thirty seconds`() {
        _ = start()
        for percent in 1...100 as ClosedRange<Int64> {
            host.advance(by: .seconds(29))
            host.progress(.album(1), percent)
        }
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(30))
        #expect(host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves(77))
    func `a progress report that does not exceed earlier reports does not extend the time of a continued task`() {
        _ = start()
        host.progress(.album(1), 50)
        host.advance(by: .seconds(20))
        host.progress(.album(1), 50)
        host.progress(.album(1), 40)
        host.advance(by: .seconds(10))
        #expect(host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves(77))
    func `the first progress report extends the time of a continued task, even with no completed unit`() {
        _ = start()
        host.advance(by: .seconds(29))
        host.progress(.album(1), 0)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(77))
    func `one more completed unit extends the time of a continued task even if the total grows faster`() {
        _ = start()
        host.progress(.album(1), 10, of: 20)
        host.advance(by: .seconds(29))
        host.progress(.album(1), 11, of: 2_000)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(77)) func `the stall limit of a continued task begins with the return of entry`() {
        host.submitContinued()
        host.advance(by: .seconds(25))
        host.enter()
        host.advance(by: .seconds(25))
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(5))
        #expect(host.expirations.count == 1)
    }

    @Test(.proves(77))
    func `the stall limit of a continued task delivered to a running launch begins with its delivery`() {
        let plan = host.openByUser()
        host.advance(by: .minutes(3))
        host.submitContinued(from: plan)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.expirations.map(\.tasks) == [[.album(1)]])
        #expect(host.running == [.clean, .album(1)])
    }

    @Test(.proves("C6"))
    func `an open continued task with an expiration handler overruns after the grace period and ends its launch`() {
        let plan = start()
        host.setExpirationHandler(for: .album(1), in: plan)
        host.advance(by: .seconds(35) - .nanoseconds(1))
        #expect(host.killed.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.outcomes(of: .album(1)) == [.overran] && host.launchOutcomes == [.overran])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C6")) func `a continued task completed within the grace period keeps its reported outcome`() {
        let plan = start()
        host.advance(by: .seconds(32))
        host.complete(.album(1), as: .failure, in: plan)
        #expect(host.outcomes(of: .album(1)) == [.failed] && host.launchOutcomes == [.expired])
    }

    @Test(.proves(77)) func `progress after the expiration of a continued task does not revoke the expiration`() {
        let plan = start()
        host.advance(by: .seconds(31))
        host.progress(.album(1), 90, in: plan)
        host.advance(by: .seconds(4))
        #expect(host.killed.count == 1)
    }

    @Test(.proves(77)) func `two continued tasks of a launch have separate stall limits`() {
        host.submitContinued(.album(1))
        let plan = host.lastPlan
        host.enter(registering: [.album(1), .album(2)])
        host.submitContinued(.album(2), from: plan)
        host.advance(by: .seconds(20))
        host.progress(.album(2), 1, in: plan)
        host.advance(by: .seconds(10))
        #expect(host.expirations.map(\.tasks) == [[.album(1)]])
        host.complete(.album(1), as: .failure, in: plan)
        host.progress(.album(2), 2, in: plan)
        host.advance(by: .seconds(20))
        #expect(host.running == [.album(2)] && host.killed.isEmpty)
    }

    @Test(.proves("C6"))
    func `if entry does not return, a continued task's launch is killed after thirty seconds and the grace period`() {
        host.submitContinued()
        host.advance(by: .seconds(35) - .nanoseconds(1))
        #expect(host.killed.isEmpty && host.launchOutcomes.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.killed.count == 1)
        #expect(host.launchOutcomes == [.entryFailed] && host.outcomes(of: .album(1)) == [.entryFailed])
        #expect(host.request(.album(1))?.retry.attempts == 1)
    }

    @Test(.proves("C6"))
    func `a continued task is not expired when its entry returns within the grace period`() {
        host.submitContinued()
        host.advance(by: .seconds(33))
        host.enter()
        host.progress(.album(1), 1)
        host.advance(by: .seconds(29))
        #expect(host.killed.isEmpty && host.expirations.isEmpty)
    }

    @Test(.proves(63)) func `progress of a task that is not continued is a violation and does not extend its budget`() {
        host.submit(.clean)
        host.enter()
        host.progress(.clean, 1)
        #expect(host.entries(.violation).count == 1)
        host.advance(by: .minutes(10))
        #expect(host.expirations.map(\.reason) == [.budget])
    }

    @Test(.proves(77)) func `the list of running launches contains the reported progress`() throws {
        let plan = try #require(start())
        host.progress(.album(1), 25)
        let launch = try #require(host.scheduler.runningLaunches.first { $0.plan.number == plan.number })
        #expect(launch.progress.values.map(\.fraction) == [0.25])
    }

    @Test(.proves(80)) func `a completed continued task is not listed while another task of its launch runs`() throws {
        let plan = try #require(host.openByUser())
        host.submitContinued(from: plan)
        host.progress(.album(1), 100, in: plan)
        let shown = try #require(host.scheduler.runningLaunches.first)
        #expect(shown.unfinished.compactMap(\.work.identifier) == [.clean, .album(1)] && shown.progress.count == 1)
        host.complete(.album(1), in: plan)
        let left = try #require(host.scheduler.runningLaunches.first)
        #expect(left.unfinished.compactMap(\.work.identifier) == [.clean] && left.progress.isEmpty)
        #expect(host.outcomes(of: .album(1)) == [.succeeded] && host.explain(.album(1)).states == [.unknown])
    }

    @Test(.proves("C13")) func `the explanation of a running continued task has no total time`() throws {
        let plan = try #require(host.openByUser())
        host.submitContinued(from: plan)
        host.advance(by: .seconds(5))
        #expect(host.explain(.clean).states == [.running(plan.number, used: .seconds(5), total: .minutes(10))])
        #expect(host.explain(.album(1)).states == [.running(plan.number, used: .seconds(5), total: nil)])
    }
}
