// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued task runs as long as it progresses")
struct ContinuedProgressTests {
    let host = SchedulerDriver(.studio())

    /// One that runs in a launch of its own.
    private func start(_ identifier: TaskIdentifier = .album(1)) -> LaunchPlan? {
        host.submitContinued(identifier)
        host.enter()
        return host.lastPlan
    }

    @Test(.proves(77)) func `without progress it is expired after thirty seconds, to the moment`() {
        _ = start()
        host.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(host.expirations.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.expirations.map(\.tasks) == [[.album(1)]] && host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves(77)) func `progress gives it thirty seconds more, each time`() {
        _ = start()
        for percent in 1...100 as ClosedRange<Int64> {
            host.advance(by: .seconds(29))
            host.progress(.album(1), percent)
        }
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(30))
        #expect(host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves(77)) func `progress that does not grow is none`() {
        _ = start()
        host.progress(.album(1), 50)
        host.advance(by: .seconds(20))
        host.progress(.album(1), 50)
        host.progress(.album(1), 40)
        host.advance(by: .seconds(10))
        #expect(host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves(77)) func `the first report is progress, even of nothing done`() {
        _ = start()
        host.advance(by: .seconds(29))
        host.progress(.album(1), 0)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(77)) func `more done of a total that grew is progress`() {
        _ = start()
        host.progress(.album(1), 10, of: 20)
        host.advance(by: .seconds(29))
        host.progress(.album(1), 11, of: 2_000)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(77)) func `its time begins when its entry has returned`() {
        host.submitContinued()
        host.advance(by: .seconds(25))
        host.enter()
        host.advance(by: .seconds(25))
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(5))
        #expect(host.expirations.count == 1)
    }

    @Test(.proves(77)) func `the time of a delivered one begins with its delivery`() {
        let plan = host.openByPerson()
        host.advance(by: .minutes(3))
        host.submitContinued(from: plan)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.expirations.map(\.tasks) == [[.album(1)]])
        #expect(host.running == [.clean, .album(1)])
    }

    @Test(.proves("C6")) func `one that does not complete in the grace overran, and its launch ends`() {
        let plan = start()
        host.setExpirationHandler(for: .album(1), in: plan)
        host.advance(by: .seconds(35) - .nanoseconds(1))
        #expect(host.killed.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.outcomes(of: .album(1)) == [.overran] && host.launchOutcomes == [.overran])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C6")) func `one that completes in the grace ends in order`() {
        let plan = start()
        host.advance(by: .seconds(32))
        host.complete(.album(1), as: .failure, in: plan)
        #expect(host.outcomes(of: .album(1)) == [.failed] && host.launchOutcomes == [.expired])
    }

    @Test(.proves(77)) func `progress after the expiration takes nothing back`() {
        let plan = start()
        host.advance(by: .seconds(31))
        host.progress(.album(1), 90, in: plan)
        host.advance(by: .seconds(4))
        #expect(host.killed.count == 1)
    }

    @Test(.proves(77)) func `each task of a launch stalls by itself`() {
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

    @Test(.proves("C6")) func `an entry that does not return is ended after thirty seconds and the grace, and charged`()
    {
        host.submitContinued()
        host.advance(by: .seconds(35) - .nanoseconds(1))
        #expect(host.killed.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.launchOutcomes == [.entryFailed] && host.outcomes(of: .album(1)) == [.entryFailed])
        #expect(host.request(.album(1))?.retry.attempts == 1)
    }

    @Test(.proves("C6")) func `an entry that returns in the grace goes on`() {
        host.submitContinued()
        host.advance(by: .seconds(33))
        host.enter()
        host.progress(.album(1), 1)
        host.advance(by: .seconds(29))
        #expect(host.killed.isEmpty && host.expirations.isEmpty)
    }

    @Test(.proves(63)) func `progress of a task that is not continued is a violation, and gives no time`() {
        host.submit(.clean)
        host.enter()
        host.progress(.clean, 1)
        #expect(host.entries(.violation).count == 1)
        host.advance(by: .minutes(10))
        #expect(host.expirations.map(\.reason) == [.budget])
    }

    @Test(.proves(77)) func `what it reported is shown`() throws {
        let plan = try #require(start())
        host.progress(.album(1), 25)
        let launch = try #require(host.scheduler.runningLaunches.first { $0.plan.number == plan.number })
        #expect(launch.progress.values.map(\.fraction) == [0.25])
    }

    @Test(.proves(80)) func `once it is completed nothing of it is shown any more, whatever else its launch does`()
        throws
    {
        let plan = try #require(host.openByPerson())
        host.submitContinued(from: plan)
        host.progress(.album(1), 100, in: plan)
        let shown = try #require(host.scheduler.runningLaunches.first)
        #expect(shown.unfinished.compactMap(\.work.identifier) == [.clean, .album(1)] && shown.progress.count == 1)
        host.complete(.album(1), in: plan)
        let left = try #require(host.scheduler.runningLaunches.first)
        #expect(left.unfinished.compactMap(\.work.identifier) == [.clean] && left.progress.isEmpty)
        #expect(host.outcomes(of: .album(1)) == [.succeeded] && host.explain(.album(1)).states == [.unknown])
    }

    @Test(.proves("C13")) func `why says that it has no fixed time`() throws {
        let plan = try #require(host.openByPerson())
        host.submitContinued(from: plan)
        host.advance(by: .seconds(5))
        #expect(host.explain(.clean).states == [.running(plan.number, used: .seconds(5), total: .minutes(10))])
        #expect(host.explain(.album(1)).states == [.running(plan.number, used: .seconds(5), total: nil)])
    }
}
