// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A request runs only under its required conditions")
struct ConditionTests {
    let host = SchedulerDriver(.app(), conditions: Conditions(isOnExternalPower: false, hasNetwork: false))

    @Test(.proves(68)) func `a request that requires power waits for external power`() {
        host.submit(.clean, needsPower: true)
        #expect(host.plans.isEmpty && host.reasons(.clean) == [.externalPower])
        host.change(network: true)
        #expect(host.plans.isEmpty)
        host.change(power: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(67)) func `a request that requires a network waits for the network`() {
        host.submit(.clean, needsNetwork: true)
        #expect(host.plans.isEmpty && host.reasons(.clean) == [.network])
        host.change(network: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(68)) func `a request that requires power and network waits for both`() {
        host.submit(.clean, needsPower: true, needsNetwork: true)
        #expect(host.reasons(.clean) == [.externalPower, .network])
        host.change(power: true)
        #expect(host.reasons(.clean) == [.network])
        host.change(network: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(68)) func `a request that became due without power is launched when the power returns`() {
        host.submit(.clean, after: .hours(1), needsPower: true)
        host.advance(by: .hours(2))
        #expect(host.plans.isEmpty)
        host.change(power: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7"))
    func `a lost condition expires only the tasks that require it, with that condition as reason`() {
        host.change(power: true, network: true)
        host.submit(.clean, after: .minutes(1), needsPower: true)
        host.submit(.vacuum, after: .minutes(1), needsNetwork: true)
        host.submit(.index, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.change(power: false)
        #expect(host.expirations.map(\.tasks) == [[.clean]])
        #expect(host.expirations.map(\.reason) == [.externalPowerLost])
        host.change(network: false)
        #expect(host.expirations.map(\.tasks) == [[.clean], [.vacuum]])
        #expect(host.expirations.map(\.reason) == [.externalPowerLost, .networkLost])
    }

    @Test(.proves("C7")) func `neither a lost condition nor a locked container expires an event`() {
        host.change(power: true, network: true)
        host.install(.app(version: "2.0"))
        host.enter()
        host.change(power: false, network: false, idle: false, locked: [.app])
        #expect(host.lastPlan?.lane == .event && host.expirations.isEmpty)
    }

    @Test(.proves("C7"))
    func `a task that completes after its expiration leaves the other tasks of its launch running`() {
        host.change(power: true)
        host.submit(.clean, after: .minutes(1), needsPower: true)
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.change(power: false)
        host.complete(.clean, as: .failure)
        host.advance(by: .minutes(5))
        #expect(host.killed.isEmpty && host.running == [.vacuum])
        #expect(host.lastEntry(of: .clean)?.message.contains("external power lost") == true)
    }

    @Test(.proves("C7"))
    func `a task with an expiration handler that stays open after a lost condition overruns and ends its launch`() {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.enter()
        host.setExpirationHandler(for: .clean)
        host.change(power: false)
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .clean) == [.overran])
        #expect(host.launchOutcomes == [.overran])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C7")) func `a lost condition that returns does not revoke the expiration`() {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.enter()
        host.change(power: false)
        host.change(power: true)
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .clean) == [.expired])
    }

    @Test(.proves("C7")) func `a task launched by a user without power expires only after power came and was lost`() {
        host.submit(.clean, needsPower: true)
        host.requestRun(of: .clean)
        host.enter()
        host.change(network: true)
        #expect(host.expirations.isEmpty)
        host.change(power: true)
        host.change(power: false)
        #expect(host.expirations.map(\.reason) == [.externalPowerLost])
    }

    @Test(.proves("C3"))
    func `a condition lost inside entry expires a task that requires it when entry returns, with a full grace period`()
    {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.change(power: false)
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(20))
        host.enter()
        #expect(host.expirations.map(\.reason) == [.externalPowerLost])
        host.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(host.killed.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.killed.count == 1)
    }

    @Test(.proves("C3")) func `a task whose entry fails after a lost condition is charged and requeued`() throws {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.change(power: false)
        host.enter(status: -1)
        #expect(host.outcomes(of: .clean) == [.entryFailed])
        #expect(try #require(host.request(.clean)).retry.attempts == 1)
    }

    @Test(.proves("C7")) func `a condition that is lost and returns inside entry expires nothing`() {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.change(power: false)
        host.change(power: true)
        host.enter()
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves("C7"))
    func `a task whose condition is lost during the commit of its launch is expired after entry returns`() {
        host.change(network: true)
        host.runners = .held
        host.submit(.clean, needsNetwork: true)
        host.commits = .held
        host.bringRunners()
        host.change(network: false)
        host.writeHeldCommits()
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.networkLost])
    }
}
