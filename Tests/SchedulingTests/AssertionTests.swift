// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An assertion keeps its launch open, never beyond the deadline")
struct AssertionTests {
    let host = SchedulerDriver(.app())

    /// A launch whose one task is completed and that an assertion keeps.
    private func hold(_ identifier: TaskIdentifier = .clean, needsPower: Bool = false, needsNetwork: Bool = false) {
        host.submit(identifier, needsPower: needsPower, needsNetwork: needsNetwork)
        host.enter()
        host.beginAssertion()
        host.complete(identifier)
    }

    // MARK: 81

    @Test(.proves(81)) func `the launch stays open after its last completion until the assertion is ended`() {
        hold()
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.finished.isEmpty && host.openAssertions == ["flush"])
        host.advance(by: .minutes(9))
        #expect(host.finished.isEmpty && host.killed.isEmpty)
        host.endAssertion()
        #expect(host.finished == [host.lastPlan?.number])
        #expect(host.launchOutcomes == [.completed] && host.openAssertions.isEmpty)
    }

    @Test(.proves(81)) func `every assertion needs its own end`() {
        host.submit(.clean)
        host.enter()
        for count in 1...3 as ClosedRange<UInt32> { host.beginAssertion(count, named: "part \(count)") }
        host.complete(.clean)
        host.endAssertion(2)
        host.endAssertion(1)
        #expect(host.finished.isEmpty && host.openAssertions == ["part 3"])
        host.endAssertion(3)
        #expect(host.finished.count == 1)
    }

    @Test(.proves(81)) func `one that ends before the last completion ends nothing`() {
        host.submit(.clean)
        host.enter()
        host.beginAssertion()
        host.endAssertion()
        #expect(host.finished.isEmpty && host.running == [.clean])
        host.complete(.clean)
        #expect(host.finished.count == 1)
    }

    @Test(.proves(81)) func `it starts nothing, and what waits waits for the lane`() throws {
        hold()
        let launch = try #require(host.lastPlan).number
        host.submit(.vacuum)
        host.submit(.clean)
        host.advance(by: .minutes(1))
        #expect(host.plans.count == 1)
        #expect(host.reasons(.vacuum) == [.laneBusy(.background, launch)])
        #expect(host.reasons(.clean) == [.laneBusy(.background, launch)])
        host.endAssertion()
        host.advance(by: .seconds(1))
        #expect(Set(try #require(host.batches.last)) == [.vacuum, .clean])
    }

    @Test(.proves(81)) func `one begun in entry holds an event launch that nobody receives`() throws {
        host.install(.app(version: "2.0"))
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .event)
        host.beginAssertion(named: "index")
        host.enter(receives: false)
        #expect(host.finished.isEmpty && host.openAssertions == ["index"])
        host.advance(by: .seconds(30))
        #expect(host.assertionExpirations.map(\.reason) == [.budget])
        host.endAssertion()
        #expect(host.finished == [plan.number] && host.launchOutcomes == [.completed])
    }

    @Test(.proves(81)) func `after the launch has ended none begins`() {
        host.processesObey = false
        host.submit(.clean)
        host.runToTheEnd()
        host.beginAssertion()
        #expect(host.openAssertions.isEmpty)
        host.advance(by: .seconds(6))
        host.end(nil, .signaled(9))
        #expect(host.killed.count == 1)
        #expect(host.launchOutcomes == [.completed] && host.entries(.violation).isEmpty)
    }

    @Test(.proves(81)) func `an entry that fails leaves none`() {
        host.submit(.clean)
        host.beginAssertion()
        host.enter(status: -7)
        #expect(host.killed.count == 1 && host.launchOutcomes == [.entryFailed])
        #expect(host.lastLaunchEntry?.message.contains("not ended: assertion \"flush\"") == true)
    }

    // MARK: 82

    @Test(.proves(82)) func `at the deadline it is told once, and ended in the grace the launch ends in order`() {
        hold()
        host.advance(by: .minutes(10) - .nanoseconds(1))
        #expect(host.assertionExpirations.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.assertionExpirations.map(\.reason) == [.budget] && host.expirations.isEmpty)
        host.advance(by: .seconds(4))
        host.endAssertion()
        #expect(host.assertionExpirations.count == 1 && host.killed.isEmpty)
        #expect(host.launchOutcomes == [.completed] && host.lastLaunchEntry?.blame == .nobody)
    }

    @Test(.proves(82)) func `not ended within the grace it is the launch's overrun, and the tasks stay completed`()
        throws
    {
        hold()
        host.advance(by: .minutes(10) + .seconds(5) - .nanoseconds(1))
        #expect(host.killed.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.killed == [host.lastPlan?.number])
        #expect(host.outcomes(of: .clean) == [.succeeded] && host.pending.isEmpty)
        #expect(host.launchOutcomes == [.overran])
        let entry = try #require(host.lastLaunchEntry)
        #expect(entry.blame == .plugin && entry.message.contains("BGT-ABI-14"))
        #expect(entry.message.contains("assertion \"flush\"") && entry.message.contains("budget used up"))
        #expect(entry.message.contains("end every assertion before its deadline or in its handler"))
    }

    @Test(.proves(82)) func `the journal names those that were not ended, as many as can be read`() throws {
        host.submit(.clean)
        host.enter()
        for count in 1...10 as ClosedRange<UInt32> { host.beginAssertion(count, named: "part \(count)") }
        host.complete(.clean)
        host.endAssertion(2)
        host.advance(by: .minutes(11))
        let message = try #require(host.lastLaunchEntry).message
        #expect(message.contains(#"assertions "part 1", "part 3", "part 4", "part 5", "part 6" and 4 more"#))
    }

    @Test(.proves(82)) func `tasks and assertions are told together, and share the grace`() {
        host.submit(.clean)
        host.enter()
        host.beginAssertion()
        host.setExpirationHandler(for: .clean)
        host.advance(by: .minutes(10))
        #expect(host.expirations.map(\.tasks) == [[.clean]] && host.assertionExpirations.count == 1)
        host.advance(by: .seconds(3))
        host.complete(.clean, as: .failure)
        host.advance(by: .seconds(2))
        #expect(host.killed.count == 1 && host.outcomes(of: .clean) == [.failed])
        #expect(host.launchOutcomes == [.overran])
    }

    @Test(.proves(82)) func `a task that overruns as well is named first`() throws {
        host.submit(.clean)
        host.enter()
        host.beginAssertion()
        host.advance(by: .minutes(11))
        let message = try #require(host.lastLaunchEntry).message
        #expect(message.contains("a task was not completed") && message.contains("not ended: assertion \"flush\""))
    }

    @Test(.proves(82)) func `one begun while the word was on its way is as overdue as the others`() {
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(10))
        host.beginAssertion()
        host.complete(.clean)
        #expect(host.finished.isEmpty && host.assertionExpirations.count == 1)
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1 && host.launchOutcomes == [.overran])
    }

    @Test(.proves(82)) func `a host that stops tells it, waits the grace, and blames nobody else`() throws {
        hold()
        host.processesObey = false
        host.stop()
        #expect(host.assertionExpirations.map(\.reason) == [.hostShutdown] && !host.hasStopped)
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1)
        host.end(nil, .signaled(9))
        #expect(host.launchOutcomes == [.interrupted] && host.lastLaunchEntry?.blame == .host)
        #expect(try #require(host.lastLaunchEntry).message.contains("not ended: assertion \"flush\""))
        #expect(host.outcomes(of: .clean) == [.succeeded] && host.hasStopped)
    }

    @Test(.proves(82)) func `a host that stops is held up no longer than the assertion`() {
        hold()
        host.stop()
        host.endAssertion()
        #expect(host.hasStopped && host.launchOutcomes == [.completed])
    }

    @Test(.proves(82)) func `a person's stop of the last task tells the assertion too`() throws {
        host.submit(.clean)
        host.enter()
        host.beginAssertion()
        host.simulateExpiration(of: .clean)
        #expect(host.assertionExpirations.map(\.reason) == [.stoppedByPerson])
        host.complete(.clean, as: .failure)
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1)
        #expect(try #require(host.lastLaunchEntry).message.contains("stopped by a user"))
    }

    @Test(.proves(82)) func `a person can stop a launch that nothing but an assertion keeps`() throws {
        hold()
        let launch = try #require(host.lastPlan).number
        #expect(host.simulateExpiration(of: .clean) == .expiring(launch))
        #expect(host.assertionExpirations.map(\.reason) == [.stoppedByPerson] && host.expirations.isEmpty)
        host.advance(by: .seconds(5))
        #expect(host.killed == [launch])
    }

    @Test(.proves(82))
    func `it is told when the last task that may go on is over, and others were told to stop before`() {
        host.submit(.clean, after: .minutes(1), needsPower: true)
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.beginAssertion()
        host.change(power: false)
        #expect(host.assertionExpirations.isEmpty)
        host.complete(.vacuum)
        #expect(host.assertionExpirations.map(\.reason) == [.externalPowerLost])
        host.complete(.clean, as: .failure)
        host.endAssertion()
        #expect(host.finished.count == 1)
    }

    @Test(.proves(82)) func `it is not told while a task may go on`() {
        host.submit(.clean, after: .minutes(1), needsPower: true)
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.beginAssertion()
        host.change(power: false)
        #expect(host.expirations.map(\.tasks) == [[.clean]] && host.assertionExpirations.isEmpty)
        host.complete(.clean, as: .failure)
        host.complete(.vacuum)
        #expect(host.finished.isEmpty)
        host.endAssertion()
        #expect(host.finished.count == 1)
    }

    @Test(.proves(82), arguments: [true, false])
    func `a launch that runs on what is lost loses its assertions with its last task`(isCompleted: Bool) {
        host.submit(.clean, needsNetwork: true)
        host.enter()
        host.beginAssertion()
        if isCompleted { host.complete(.clean) }
        host.change(power: false)
        #expect(host.assertionExpirations.isEmpty)
        host.change(network: false)
        #expect(host.assertionExpirations.map(\.reason) == [.networkLost])
        if !isCompleted { host.complete(.clean) }
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1 && host.launchOutcomes == [.overran])
    }

    @Test(.proves(82)) func `what a crash leaves open is named`() throws {
        hold()
        host.crash()
        #expect(host.launchOutcomes == [.crashed] && host.outcomes(of: .clean) == [.succeeded])
        #expect(try #require(host.lastLaunchEntry).message.contains("not ended: assertion \"flush\""))
    }

    @Test(.proves(82)) func `a process that leaves by itself while it is kept has exited`() throws {
        hold()
        host.exit(code: 0)
        #expect(host.launchOutcomes == [.exited] && host.lastLaunchEntry?.blame == .plugin)
        #expect(host.outcomes(of: .clean) == [.succeeded] && host.pending.isEmpty)
    }

    @Test(.proves(82)) func `an entry that never returns is ended as such, whatever it began`() {
        host.submit(.clean)
        host.beginAssertion()
        host.advance(by: .minutes(10))
        #expect(host.assertionExpirations.isEmpty, "the runner's own timer tells it")
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1 && host.launchOutcomes == [.entryFailed])
    }

    // MARK: 83

    @Test(.proves(83)) func `what is left of the budget goes on being used while an assertion is open`() throws {
        hold()
        host.advance(by: .minutes(4))
        let launch = try #require(host.scheduler.runningLaunches.first)
        #expect(launch.plan.budget.remaining(at: host.clock.now.monotonic) == .minutes(6))
        #expect(launch.unfinished.isEmpty && !launch.isExpiring)
        host.advance(by: .minutes(6))
        #expect(launch.plan.budget.remaining(at: host.clock.now.monotonic) == .zero)
        #expect(host.scheduler.runningLaunches.first?.isExpiring == true)
    }
}
