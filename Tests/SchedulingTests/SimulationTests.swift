// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A person's wish overrules time, conditions and room, never permission")
struct SimulationTests {
    let host = SchedulerDriver(.app(), .mail(), conditions: Conditions(isOnExternalPower: false, hasNetwork: false))

    @Test(.proves(89)) func `a launch is simulated before its time and without its conditions`() throws {
        host.submit(.clean, after: .days(3), needsPower: true, needsNetwork: true)
        let answer = host.simulateLaunch(of: .clean)
        let plan = try #require(host.lastPlan)
        #expect(answer == .launching([plan.number]))
        #expect(plan.identifiers == [.clean] && plan.cause == .person)
    }

    @Test(.proves(89)) func `with nothing pending it says that nothing of the name is scheduled`() {
        #expect(host.simulateLaunch(of: .clean)?.complaint?.contains("no request with identifier") == true)
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(89)) func `several identifiers share a launch`() {
        host.submit(.clean, after: .days(1))
        host.submit(.vacuum, after: .days(2))
        host.submit(.index, after: .days(3))
        host.simulateLaunch(of: .clean, .index)
        #expect(host.batches == [[.clean, .index]])
        #expect(host.pending == [.vacuum])
    }

    @Test(.proves(89)) func `identifiers of several plugins are launched each in its own`() {
        host.submit(.clean, after: .days(1))
        host.submit(.sweep, after: .days(1), by: .plugin(.mail))
        let answer = host.simulateLaunch(of: .clean, .sweep)
        #expect(answer == .launching(host.plans.map(\.number)))
        #expect(host.batches == [[.clean], [.sweep]])
    }

    @Test(.proves(89)) func `one of several that cannot be launched stops them all`() {
        host.submit(.clean, after: .days(1))
        #expect(host.simulateLaunch(of: .clean, .vacuum)?.complaint != nil)
        #expect(host.plans.isEmpty)
        host.advance(by: .hours(1))
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(89)) func `spacing and room do not bind a person`() {
        let host = SchedulerDriver(.app(), .mail()) { $0.backgroundLaunches = 1 }
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.sweep, by: .plugin(.mail))
        host.submit(.vacuum)
        host.simulateLaunch(of: .vacuum)
        #expect(host.batches == [[.clean], [.sweep], [.vacuum]])
    }

    @Test(.proves(89)) func `one launch at a time binds a person too`() {
        host.submit(.clean)
        host.submit(.vacuum, after: .days(1))
        #expect(host.simulateLaunch(of: .vacuum)?.complaint?.contains("background lane is taken") == true)
        host.runToTheEnd()
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(89)) func `permission binds a person too`() {
        host.submit(.clean, after: .days(1))
        host.install(.app(version: "2.0", permitted: [.exact(.vacuum)]))
        host.finishStarting()
        #expect(host.simulateLaunch(of: .clean)?.complaint?.contains("does not permit") == true)
    }

    @Test(.proves(89)) func `what else is eligible comes along`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .days(1), needsPower: true)
        host.advance(by: .seconds(59))
        host.runners = .held
        host.simulateLaunch(of: .vacuum)
        host.advance(by: .seconds(1))
        host.bringRunners()
        #expect(host.batches == [[.clean, .vacuum]])
    }

    @Test(.proves(89)) func `a wish that was granted is not granted twice`() {
        host.submit(.clean, needsPower: true)
        host.simulateLaunch(of: .clean)
        host.enter()
        host.submit(.clean, needsPower: true)
        host.complete(.clean)
        host.advance(by: .days(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(89)) func `a wish for a request dies with it`() {
        host.runners = .held
        host.submit(.clean, after: .days(1))
        host.simulateLaunch(of: .clean)
        host.submit(.clean, after: .days(2))
        host.bringRunners()
        #expect(host.plans.isEmpty)
        host.advance(by: .days(1))
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(89)) func `a simulated expiration reaches the running task, with a person's reason`() throws {
        host.submit(.clean)
        host.enter()
        #expect(host.simulateExpiration(of: .clean) == .expiring(try #require(host.lastPlan).number))
        #expect(host.expirations.map(\.reason) == [.stoppedByPerson])
        host.complete(.clean)
        #expect(host.launchOutcomes == [.expired])
    }

    @Test(.proves(89)) func `a simulated expiration leaves the neighbours alone`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.simulateExpiration(of: .vacuum)
        #expect(host.expirations.map(\.tasks) == [[.vacuum]])
    }

    @Test(.proves(89)) func `a simulated expiration of what does not run says so`() {
        host.submit(.clean, after: .days(1))
        #expect(host.simulateExpiration(of: .clean)?.complaint?.contains("no task with identifier") == true)
        host.submit(.vacuum)
        #expect(host.simulateExpiration(of: .vacuum)?.complaint != nil, "inside entry nothing was delivered yet")
    }

    @Test(.proves(89)) func `a person's wish goes before what rests in order to run alone`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.submit(.index, after: .days(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.crash()
        host.simulateLaunch(of: .index)
        #expect(host.lastPlan?.identifiers == [.index])
    }
}
