// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Processing runs while the machine is idle")
struct IdleTests {
    let host = SchedulerDriver(
        .studio(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )

    @Test(.proves(66)) func `processing waits while the machine is in use and runs as soon as it is idle`() {
        host.submit(.clean)
        #expect(host.reasons(.clean) == [.notIdle])
        host.change(idle: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(65)) func `a refresh starts and continues while the machine is in use`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.change(idle: true)
        host.change(idle: false)
        #expect(host.running == [.feed] && host.expirations.isEmpty)
    }

    @Test(.proves("C7"))
    func `the end of idleness expires the processing tasks of a launch and leaves its refresh running`() {
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

    @Test(.proves(66)) func `a running continued task does not expire at the end of idleness`() {
        host.change(idle: true)
        host.submitContinued()
        host.enter()
        host.change(idle: false)
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(66)) func `idleness that ends inside entry expires processing after entry returns`() {
        host.change(idle: true)
        host.submit(.clean)
        host.change(idle: false)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.notIdle])
    }

    @Test(.proves(89))
    func `processing that a user launched on a machine in use does not expire for missing idleness`() {
        host.submit(.clean)
        host.requestRun(of: .clean)
        host.enter()
        host.change(idle: true)
        host.change(idle: false)
        #expect(host.running == [.clean] && host.expirations.isEmpty)
    }

    @Test(.proves("C12"))
    func `processing that ran after its maximum deferral does not expire when the machine is used again`() {
        host.submit(.clean)
        host.advance(by: .days(2))
        host.enter()
        host.change(idle: true)
        host.change(idle: false)
        #expect(host.running == [.clean] && host.expirations.isEmpty)
    }

    @Test(.proves(66))
    func `processing neither waits for idleness nor expires without it when the idle policy is switched off`() {
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

    @Test(.proves("C12")) func `high load delays a refresh until the load falls, and expires no running refresh`() {
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

    @Test(.proves("C12"))
    func `neither refresh nor continued task waits for load when the load policy is switched off`() {
        let host = SchedulerDriver(.studio()) { $0.policies.off = [.load] }
        host.change(busy: true)
        host.submit(.feed, as: .refresh)
        host.submitContinued()
        #expect(host.running == [.feed, .album(1)])
    }

    @Test(.proves("C13"), arguments: ["memory", "heat"])
    func `low memory and heat delay refresh, processing and continued requests`(_ trouble: String) {
        host.change(idle: true, memoryLow: trouble == "memory", hot: trouble == "heat")
        host.submit(.feed, as: .refresh)
        host.submit(.clean)
        host.submitContinued()
        #expect(host.plans.isEmpty)
        for identifier: TaskIdentifier in [.feed, .clean, .album(1)] {
            #expect(host.reasons(identifier) == [trouble == "memory" ? .memoryPressure : .heat])
        }
        host.change(memoryLow: false, hot: false)
        #expect(host.running == [.feed, .clean, .album(1)])
    }
}
