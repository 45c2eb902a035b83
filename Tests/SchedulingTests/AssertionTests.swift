// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An assertion keeps its launch open, at most until the end of the grace period")
struct AssertionTests {
    let host = SchedulerDriver(.app())

    /// Starts a launch whose only task is completed and which an assertion keeps open.
    private func hold(_ identifier: TaskIdentifier = .clean, needsPower: Bool = false, needsNetwork: Bool = false) {
        host.submit(identifier, needsPower: needsPower, needsNetwork: needsNetwork)
        host.enter()
        host.beginAssertion()
        host.complete(identifier)
    }

    // MARK: Lifetime (statement 81)

    @Test(.proves(81)) func `an assertion keeps its launch open after the last completion until the assertion ends`() {
        hold()
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.finished.isEmpty && host.openAssertions == ["flush"])
        host.advance(by: .minutes(9))
        #expect(host.finished.isEmpty && host.killed.isEmpty)
        host.endAssertion()
        #expect(host.finished == [host.lastPlan?.number])
        #expect(host.launchOutcomes == [.completed] && host.openAssertions.isEmpty)
    }

    @Test(.proves(81)) func `a launch with three assertions stays open until each of them has ended`() {
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

    @Test(.proves(81)) func `an assertion that ends before the last completion does not end its launch`() {
        host.submit(.clean)
        host.enter()
        host.beginAssertion()
        host.endAssertion()
        #expect(host.finished.isEmpty && host.running == [.clean])
        host.complete(.clean)
        #expect(host.finished.count == 1)
    }

    @Test(.proves(81))
    func `requests wait for the busy lane while only an assertion keeps the launch of that lane open`() throws {
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

    @Test(.proves(81))
    func `an assertion begun in entry keeps open the event launch of a plugin without a receive function`() throws {
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

    @Test(.proves(81)) func `an assertion begun in a stopping launch is ignored`() {
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

    @Test(.proves(81))
    func `a launch whose entry fails is killed despite an open assertion, and the journal names the assertion`() {
        host.submit(.clean)
        host.beginAssertion()
        host.enter(status: -7)
        #expect(host.killed.count == 1 && host.launchOutcomes == [.entryFailed])
        #expect(host.lastLaunchEntry?.message.contains("still open: assertion \"flush\"") == true)
    }

    // MARK: Expiration and overrun (statement 82)

    @Test(.proves(82))
    func `an assertion expires once at the deadline, and its end in the grace period completes the launch`() {
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

    @Test(.proves(82))
    func `an assertion open at the end of the grace period is an overrun, and completed tasks stay completed`() throws {
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
        #expect(entry.message.contains("end every assertion before the deadline of the launch, or in"))
    }

    @Test(.proves(82))
    func `the journal names the first five open assertions of an overrun and counts the others`() throws {
        host.submit(.clean)
        host.enter()
        for count in 1...10 as ClosedRange<UInt32> { host.beginAssertion(count, named: "part \(count)") }
        host.complete(.clean)
        host.endAssertion(2)
        host.advance(by: .minutes(11))
        let message = try #require(host.lastLaunchEntry).message
        #expect(message.contains(#"assertions "part 1", "part 3", "part 4", "part 5", "part 6" and 4 more"#))
    }

    @Test(.proves(82))
    func `a task and an assertion of a launch expire together at the deadline and share one grace period`() {
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

    @Test(.proves(82))
    func `the message of an overrun reports both the uncompleted task and the open assertion`() throws {
        host.submit(.clean)
        host.enter()
        host.beginAssertion()
        host.advance(by: .minutes(11))
        let message = try #require(host.lastLaunchEntry).message
        #expect(message.contains("a task was not completed") && message.contains("still open: assertion \"flush\""))
    }

    @Test(.proves(82))
    func `an assertion begun in the grace period and open at the end of that period is an overrun`() {
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(10))
        host.beginAssertion()
        host.complete(.clean)
        #expect(host.finished.isEmpty && host.assertionExpirations.count == 1)
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1 && host.launchOutcomes == [.overran])
    }

    @Test(.proves(82))
    func `a stopping host expires an assertion, and kills its launch with blame host if the assertion stays open`()
        throws
    {
        hold()
        host.processesObey = false
        host.stop()
        #expect(host.assertionExpirations.map(\.reason) == [.hostShutdown] && !host.hasStopped)
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1)
        host.end(nil, .signaled(9))
        #expect(host.launchOutcomes == [.interrupted] && host.lastLaunchEntry?.blame == .host)
        #expect(try #require(host.lastLaunchEntry).message.contains("still open: assertion \"flush\""))
        #expect(host.outcomes(of: .clean) == [.succeeded] && host.hasStopped)
    }

    @Test(.proves(82)) func `a stopping host that waits only for an assertion stops when that assertion ends`() {
        hold()
        host.stop()
        host.endAssertion()
        #expect(host.hasStopped && host.launchOutcomes == [.completed])
    }

    @Test(.proves(82)) func `a user's stop of the last open task expires the assertion of its launch as well`() throws {
        host.submit(.clean)
        host.enter()
        host.beginAssertion()
        _ = host.ask { .taskStopRequested(.clean, reply: $0) }
        #expect(host.assertionExpirations.map(\.reason) == [.stoppedByUser])
        host.complete(.clean, as: .failure)
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1)
        #expect(try #require(host.lastLaunchEntry).message.contains("stopped by a user"))
    }

    @Test(.proves(82)) func `a user can stop a launch that only an assertion keeps open`() throws {
        hold()
        let launch = try #require(host.lastPlan).number
        #expect(host.ask { .taskStopRequested(.clean, reply: $0) } == .expiring(launch))
        #expect(host.assertionExpirations.map(\.reason) == [.stoppedByUser] && host.expirations.isEmpty)
        #expect(host.entries(.stopRequested).count == 1)
        host.advance(by: .seconds(5))
        #expect(host.killed == [launch])
    }

    @Test(.proves(82))
    func `an assertion expires as soon as every open task of its launch has expired`() {
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

    @Test(.proves(82)) func `an assertion does not expire while an unexpired task of its launch runs`() {
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
    func `a lost condition of a launch's only task, open or completed, expires the launch's assertion`(
        isCompleted: Bool
    ) {
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

    @Test func `the journal names the assertion that was open when a launch crashed`() throws {
        hold()
        host.crash()
        #expect(host.launchOutcomes == [.crashed] && host.outcomes(of: .clean) == [.succeeded])
        #expect(try #require(host.lastLaunchEntry).message.contains("still open: assertion \"flush\""))
    }

    @Test(.proves(82))
    func `an exit while only an assertion keeps the launch open is blamed on the plugin`() throws {
        hold()
        host.exit(code: 0)
        #expect(host.launchOutcomes == [.exited] && host.lastLaunchEntry?.blame == .plugin)
        #expect(host.outcomes(of: .clean) == [.succeeded] && host.pending.isEmpty)
    }

    @Test(.proves(82))
    func `an entry that does not return fails after the grace period, even with an open assertion`() {
        host.submit(.clean)
        host.beginAssertion()
        host.advance(by: .minutes(10))
        #expect(host.assertionExpirations.isEmpty, "the scheduler expires no assertion inside entry")
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1 && host.launchOutcomes == [.entryFailed])
    }

    // MARK: Remaining time (statement 83)

    @Test(.proves(83)) func `an open assertion uses up the rest of the budget after the last completion`() throws {
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
