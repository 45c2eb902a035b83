// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A launch has one budget, whatever its batch")
struct SharedBudgetTests {
    let host = SchedulerDriver(.app())

    private func launchThree() {
        for identifier: TaskIdentifier in [.clean, .vacuum, .index] { host.submit(identifier, after: .minutes(1)) }
        host.advance(by: .minutes(1))
        host.enter()
    }

    @Test(.proves(48)) func `a launch of three processing tasks has the budget of one such task`() {
        launchThree()
        #expect(host.lastPlan?.budget.total == .minutes(10))
        host.advance(by: .minutes(10) - .nanoseconds(1))
        #expect(host.expirations.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.expirations.map(\.tasks) == [[.clean, .vacuum, .index]])
    }

    @Test(.proves(48)) func `the budget that one task used is not available to the other tasks of its launch`() {
        launchThree()
        host.advance(by: .minutes(9))
        host.complete(.clean)
        host.advance(by: .minutes(1))
        #expect(host.expirations.map(\.tasks) == [[.vacuum, .index]])
        #expect(host.expirations.map(\.reason) == [.budget])
    }

    @Test(.proves(49)) func `the grace period does not grow with the number of tasks in a launch`() {
        launchThree()
        host.processesObey = false
        host.advance(by: .minutes(10) + .seconds(5) - .nanoseconds(1))
        #expect(host.killed.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.killed == [host.lastPlan?.number])
    }

    @Test(.proves(53)) func `a launch ends at once when its last task completes`() {
        launchThree()
        host.complete(.clean)
        host.complete(.vacuum)
        #expect(host.finished.isEmpty)
        host.complete(.index)
        #expect(host.finished == [host.lastPlan?.number])
        #expect(host.launchOutcomes == [.completed])
    }

    @Test(.proves(54))
    func `a task that never completes keeps its launch open until budget and grace period are used up`() {
        launchThree()
        host.complete(.clean)
        host.complete(.vacuum)
        host.advance(by: .minutes(9))
        #expect(host.finished.isEmpty && host.killed.isEmpty && host.running == [.index])
        host.advance(by: .minutes(1) + .seconds(5))
        #expect(host.killed.count == 1)
        #expect(host.outcomes(of: .index) == [.expired])
    }

    @Test(.proves("C6", 64))
    func `the default budgets are 30 seconds for refresh, 10 minutes for processing and 30 seconds for events`() {
        host.submit(.feed, as: .refresh)
        #expect(host.lastPlan?.budget.total == .seconds(30))
        #expect(host.lastPlan?.budget.gracePeriod == .seconds(5))
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        host.submit(.clean)
        #expect(host.lastPlan?.budget.total == .minutes(10))
        host.install(.mail())
        #expect(host.lastPlan?.lane == .event)
        #expect(host.lastPlan?.budget.total == .seconds(30))
    }

    @Test(.proves("C7")) func `the budget of a batch is the largest budget among the kinds of its tasks`() {
        host.submit(.feed, as: .refresh, after: .minutes(1))
        host.submit(.clean, after: .minutes(1))
        host.advance(by: .minutes(1))
        #expect(host.lastPlan?.tasks.count == 2)
        #expect(host.lastPlan?.budget.total == .minutes(10))
    }

    @Test(.proves("C6")) func `budgets and grace periods are configurable for the host and for one plugin`() {
        let host = SchedulerDriver(.app(), .mail()) {
            $0.budgets.processing = .seconds(100)
            $0.gracePeriod = .seconds(7)
            var budgets = Budgets()
            budgets.processing = .seconds(40)
            $0.plugins[.mail, default: PluginPolicy()].budgets = budgets
            $0.plugins[.mail, default: PluginPolicy()].gracePeriod = .seconds(2)
        }
        host.submit(.clean)
        #expect(host.lastPlan?.budget.total == .seconds(100) && host.lastPlan?.budget.gracePeriod == .seconds(7))
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.lastPlan?.budget.total == .seconds(40) && host.lastPlan?.budget.gracePeriod == .seconds(2))
    }

    @Test(.proves("C6")) func `the budget of a launch begins after its commit, not while it waits for a runner`() {
        host.runners = .held
        host.submit(.feed, as: .refresh)
        host.advance(by: .seconds(20))
        host.commits = .held
        host.bringRunners()
        host.advance(by: .seconds(20))
        host.writeHeldCommits()
        #expect(host.lastPlan?.budget.start == host.clock.now.monotonic)
        host.enter()
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves("C6")) func `time spent in entry counts against the budget of a launch`() {
        host.submit(.feed, as: .refresh)
        host.advance(by: .seconds(25))
        host.enter()
        host.advance(by: .seconds(5))
        #expect(host.expirations.map(\.tasks) == [[.feed]])
    }
}
