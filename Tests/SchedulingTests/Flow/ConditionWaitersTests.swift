// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A change of conditions evaluates the lanes that wait for it and no others")
struct ConditionWaitersTests {
    private let app = ConditionWaiters.Waiter(plugin: .app, lane: .background)
    private let mail = ConditionWaiters.Waiter(plugin: .mail, lane: .background)

    @Test func `a lane that no longer waits for a condition is not found by that condition`() {
        var waiters = ConditionWaiters()
        waiters.set([.externalPower, .network], for: app)
        waiters.set([.network], for: mail)
        #expect(waiters.waiting(for: .network) == [app, mail] && waiters.waiting(for: .externalPower) == [app])
        waiters.set([.externalPower], for: app)
        #expect(waiters.waiting(for: .network) == [mail] && waiters.waiting(for: .externalPower) == [app])
        waiters.set([], for: app)
        #expect(waiters.waiting(for: .externalPower).isEmpty && !waiters.isEmpty)
        waiters.set([], for: mail)
        #expect(waiters.waiting(for: [.externalPower, .network]).isEmpty && waiters.isEmpty)
    }

    @Test func `waiting lanes are listed once, by plugin and then by lane`() {
        var waiters = ConditionWaiters()
        let continued = ConditionWaiters.Waiter(plugin: .app, lane: .continued)
        for waiter in [mail, continued, app] { waiters.set([.memory, .heat], for: waiter) }
        #expect(waiters.waiting(for: [.memory, .heat]) == [app, continued, mail].sorted())
        #expect(waiters.waiting(for: [.memory, .heat]).last == mail)
    }

    @Test func `a class of work waits for external power and the network only if it requires them`() {
        let plain = WorkClass(of: TaskRequest(identifier: .clean, kind: .processing))
        #expect(plain.conditions.isDisjoint(with: [.externalPower, .network]))
        let online = WorkClass(of: TaskRequest(identifier: .clean, kind: .processing, requiresNetwork: true))
        #expect(online.conditions.contains(.network) && !online.conditions.contains(.externalPower))
        let powered = WorkClass(of: TaskRequest(identifier: .clean, kind: .processing, requiresExternalPower: true))
        #expect(powered.conditions.contains(.externalPower) && !powered.conditions.contains(.network))
    }

    @Test func `each condition of the machine has its own waiting lanes`() {
        for condition in MachineConditions.each {
            var waiters = ConditionWaiters()
            waiters.set(condition, for: app)
            for other in MachineConditions.each {
                #expect(waiters.waiting(for: other) == (other == condition ? [app] : []))
            }
        }
    }
}
