// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Processing runs while nobody needs the machine")
struct IdleTests {
    let host = SchedulerDriver(
        .studio(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )

    @Test(.proves(66)) func `it waits while the machine is used, and runs at once when it is not`() {
        host.submit(.clean)
        #expect(host.reasons(.clean) == [.notIdle])
        host.change(idle: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(65)) func `refresh does not mind that the machine is used`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.change(idle: true)
        host.change(idle: false)
        #expect(host.running == [.feed] && host.expirations.isEmpty)
    }

    @Test(.proves("C7")) func `a machine that is used again expires exactly the processing of a batch`() {
        host.change(idle: true)
        host.submit(.feed, as: .refresh, after: .minutes(1))
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.change(idle: false)
        #expect(host.expirations.map(\.tasks) == [[.clean, .vacuum]])
        #expect(host.expirations.map(\.reason) == [.notIdle])
        host.complete(.clean, as: .failure)
        host.complete(.vacuum, as: .failure)
        host.advance(by: .minutes(5))
        #expect(host.running == [.feed] && host.killed.isEmpty)
        #expect(host.lastEntry(of: .clean)?.blame == .machine)
    }

    @Test(.proves(66)) func `a continued task does not mind that the machine is used`() {
        host.change(idle: true)
        host.submitContinued()
        host.enter()
        host.change(idle: false)
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(66)) func `idleness lost inside entry is told when entry has returned`() {
        host.change(idle: true)
        host.submit(.clean)
        host.change(idle: false)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.notIdle])
    }

    @Test(.proves(89)) func `what a person launched on a used machine is not told that it is used`() {
        host.submit(.clean)
        host.simulateLaunch(of: .clean)
        host.enter()
        host.change(power: false)
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves("C12")) func `what ran out of patience on a used machine does not lose what it never had`() {
        host.submit(.clean)
        host.advance(by: .days(2))
        host.enter()
        host.change(idle: true)
        host.change(idle: false)
        #expect(host.running == [.clean] && host.expirations.isEmpty)
    }

    @Test(.proves(66)) func `switched off nothing waits for idleness and nothing ends without it`() {
        let host = SchedulerDriver(.app()) { $0.policies.off = [.idle] }
        host.change(idle: false)
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
        host.enter()
        host.change(idle: true)
        host.change(idle: false)
        #expect(host.expirations.isEmpty)
    }

    // MARK: Load

    @Test(.proves(73)) func `load holds refresh back until it falls, and ends nothing that runs`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.change(busy: true)
        #expect(host.expirations.isEmpty)
        host.complete(.feed)
        host.submit(.feed, as: .refresh)
        host.advance(by: .seconds(1))
        #expect(host.reasons(.feed) == [.highLoad])
        host.change(busy: false)
        #expect(host.running == [.feed])
    }

    @Test(.proves(73)) func `switched off nothing waits for load`() {
        let host = SchedulerDriver(.studio()) { $0.policies.off = [.load] }
        host.change(busy: true)
        host.submit(.feed, as: .refresh)
        host.submitContinued()
        #expect(host.running == [.feed, .album(1)])
    }

    @Test(.proves(77), arguments: ["memory", "heat"])
    func `memory and heat hold back every kind of request`(_ trouble: String) {
        host.change(idle: true, memoryLow: trouble == "memory", hot: trouble == "heat")
        host.submit(.feed, as: .refresh)
        host.submit(.clean)
        host.submitContinued()
        #expect(host.plans.isEmpty)
        host.change(memoryLow: false, hot: false)
        #expect(host.running == [.feed, .clean, .album(1)])
    }
}
