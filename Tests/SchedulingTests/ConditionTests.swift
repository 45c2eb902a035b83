// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A request runs while what it needs is there")
struct ConditionTests {
    let host = SchedulerDriver(.app(), conditions: Conditions(isOnExternalPower: false, hasNetwork: false))

    @Test(.proves(68)) func `a request that needs power waits for it`() {
        host.submit(.clean, needsPower: true)
        #expect(host.plans.isEmpty && host.reasons(.clean) == [.externalPower])
        host.change(network: true)
        #expect(host.plans.isEmpty)
        host.change(power: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(67)) func `a request that needs a network waits for it`() {
        host.submit(.clean, needsNetwork: true)
        #expect(host.plans.isEmpty && host.reasons(.clean) == [.network])
        host.change(network: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(68)) func `a request that needs both waits for both`() {
        host.submit(.clean, needsPower: true, needsNetwork: true)
        #expect(host.reasons(.clean) == [.externalPower, .network])
        host.change(power: true)
        #expect(host.reasons(.clean) == [.network])
        host.change(network: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(68)) func `a request that becomes due without power is launched when it comes`() {
        host.submit(.clean, after: .hours(1), needsPower: true)
        host.advance(by: .hours(2))
        #expect(host.plans.isEmpty)
        host.change(power: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `lost conditions expire only the tasks that need them, with that reason`() {
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

    @Test(.proves("C7")) func `one that stops in time spares its neighbours`() {
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

    @Test(.proves("C7")) func `one that does not stop in the grace overran and ends the launch`() {
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

    @Test(.proves("C7")) func `conditions that come back take no expiration back`() {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.enter()
        host.change(power: false)
        host.change(power: true)
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .clean) == [.expired])
    }

    @Test(.proves("C7")) func `what was launched without power at a person's wish is not told that it lost it`() {
        host.submit(.clean, needsPower: true)
        host.simulateLaunch(of: .clean)
        host.enter()
        host.change(network: true)
        #expect(host.expirations.isEmpty)
        host.change(power: true)
        host.change(power: false)
        #expect(host.expirations.map(\.reason) == [.externalPowerLost])
    }

    @Test(.proves("C3"))
    func `conditions lost inside entry are told when entry has returned: before it nothing is delivered`() {
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

    @Test(.proves("C3")) func `an entry that fails after conditions were lost is charged, not consumed`() {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.change(power: false)
        host.enter(status: -1)
        #expect(host.outcomes(of: .clean) == [.entryFailed])
        #expect(host.pending == [.clean])
    }

    @Test(.proves("C7")) func `conditions that are back when entry returns expire nothing`() {
        host.change(power: true)
        host.submit(.clean, needsPower: true)
        host.change(power: false)
        host.change(power: true)
        host.enter()
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves("C7")) func `conditions lost while the launch is recorded are told when entry has returned`() {
        host.change(network: true)
        host.runners = .held
        host.submit(.clean, needsNetwork: true)
        host.commits = .held
        host.bringRunners()
        host.change(network: false)
        host.writeHeldCommits()
        host.enter()
        #expect(host.expirations.map(\.reason) == [.networkLost])
    }
}
