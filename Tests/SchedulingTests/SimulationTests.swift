// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A user's launch request overrides time, conditions and capacity, but no permission")
struct SimulationTests {
    let host = SchedulerDriver(.app(), .mail(), conditions: Conditions(isOnExternalPower: false, hasNetwork: false))

    @Test(.proves(89))
    func `a user can launch a request before its earliest begin and without its conditions`() throws {
        host.submit(.clean, after: .days(3), needsPower: true, needsNetwork: true)
        let answer = host.requestRun(of: .clean)
        let plan = try #require(host.lastPlan)
        #expect(answer == .launching([plan.number]))
        #expect(plan.identifiers == [.clean] && plan.cause == .user)
    }

    @Test(.proves(89)) func `a launch requested by a user fails if the identifier has no pending request`() {
        #expect(host.requestRun(of: .clean)?.failureMessage?.contains("no request with identifier") == true)
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(89)) func `two identifiers of one plugin that a user launches together share one launch`() {
        host.submit(.clean, after: .days(1))
        host.submit(.vacuum, after: .days(2))
        host.submit(.index, after: .days(3))
        host.requestRun(of: .clean, .index)
        #expect(host.batches == [[.clean, .index]])
        #expect(host.pending == [.vacuum])
    }

    @Test(.proves(89)) func `two requests of different plugins that a user launches together run in separate launches`()
    {
        host.submit(.clean, after: .days(1))
        host.submit(.sweep, after: .days(1), by: .plugin(.mail))
        let answer = host.requestRun(of: .clean, .sweep)
        #expect(answer == .launching(host.plans.map(\.number)))
        #expect(host.batches == [[.clean], [.sweep]])
    }

    @Test(.proves(89))
    func `if one identifier of a user's launch request has no pending request, none of its identifiers is launched`() {
        host.submit(.clean, after: .days(1))
        #expect(host.requestRun(of: .clean, .vacuum)?.failureMessage != nil)
        #expect(host.plans.isEmpty)
        host.advance(by: .hours(1))
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(89)) func `spacing and the capacity of the host do not delay a launch requested by a user`() {
        let host = SchedulerDriver(.app(), .mail()) { $0.backgroundLaunches = 1 }
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.sweep, by: .plugin(.mail))
        host.submit(.vacuum)
        host.requestRun(of: .vacuum)
        #expect(host.batches == [[.clean], [.sweep], [.vacuum]])
    }

    @Test(.proves(89)) func `a launch requested by a user fails while the background lane of its plugin is busy`() {
        host.submit(.clean)
        host.submit(.vacuum, after: .days(1))
        #expect(host.requestRun(of: .vacuum)?.failureMessage?.contains("background lane is busy") == true)
        host.runToTheEnd()
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(89)) func `a launch requested by a user fails if the manifest no longer permits the identifier`() {
        host.submit(.clean, after: .days(1))
        host.install(.app(version: "2.0", permitted: [.exact(.vacuum)]))
        host.finishStarting()
        #expect(host.requestRun(of: .clean)?.failureMessage?.contains("does not permit") == true)
    }

    @Test(.proves(89)) func `a launch requested by a user includes the other eligible requests of its plugin`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .days(1), needsPower: true)
        host.advance(by: .seconds(59))
        host.runners = .held
        host.requestRun(of: .vacuum)
        host.advance(by: .seconds(1))
        host.bringRunners()
        #expect(host.batches == [[.clean, .vacuum]])
    }

    @Test(.proves(89)) func `a user's launch request applies once, not to a later submission of the same identifier`() {
        host.submit(.clean, needsPower: true)
        host.requestRun(of: .clean)
        host.enter()
        host.submit(.clean, needsPower: true)
        host.complete(.clean)
        host.advance(by: .days(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(89))
    func `a user's launch request lapses when the pending request is replaced before the runner is ready`() {
        host.runners = .held
        host.submit(.clean, after: .days(1))
        host.requestRun(of: .clean)
        host.submit(.clean, after: .days(2))
        host.bringRunners()
        #expect(host.plans.isEmpty)
        host.advance(by: .days(1))
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(89))
    func `a simulated expiration reaches the running task with the reason budget, and the journal marks it`() throws {
        host.submit(.clean)
        host.enter()
        #expect(host.simulateExpiration(of: .clean) == .expiring(try #require(host.lastPlan).number))
        #expect(host.expirations.map(\.reason) == [.budget] && host.entries(.expirationSimulated).count == 1)
        host.complete(.clean)
        #expect(host.lastEntry(of: .clean)?.message.hasSuffix("; expired: budget used up, simulated") == true)
        #expect(host.launchOutcomes == [.expired])
    }

    @Test(.proves(89)) func `a task that overstays a simulated expiration is killed at the end of the grace period`() {
        host.submit(.clean)
        host.enter()
        host.simulateExpiration(of: .clean)
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1 && host.outcomes(of: .clean) == [.expired])
        #expect(host.entries(.task(.expired)).first?.message.contains("budget used up, simulated") == true)
    }

    @Test(.proves(89)) func `a simulated expiration does not expire the other tasks of the launch`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.simulateExpiration(of: .vacuum)
        #expect(host.expirations.map(\.tasks) == [[.vacuum]])
    }

    @Test(.proves(89))
    func `a simulated expiration fails if the task is not running or entry has not returned`() {
        host.submit(.clean, after: .days(1))
        #expect(host.simulateExpiration(of: .clean)?.failureMessage?.contains("no task with identifier") == true)
        host.submit(.vacuum)
        #expect(host.simulateExpiration(of: .vacuum)?.failureMessage != nil, "inside entry nothing was delivered yet")
    }

    @Test(.proves(89)) func `a launch requested by a user precedes waiting tasks that must run alone`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.submit(.index, after: .days(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.crash()
        host.requestRun(of: .index)
        #expect(host.lastPlan?.identifiers == [.index])
    }
}
