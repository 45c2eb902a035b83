// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Health research is processing with an entitlement and readable data")
struct HealthResearchTests {
    let host = SchedulerDriver(.studio(), .mail())

    @discardableResult
    private func submit(
        _ protection: ProtectionType = .untilFirstAuthentication,
        to host: SchedulerDriver? = nil,
        _ identifier: TaskIdentifier = .study
    ) -> Answer? {
        let request = TaskRequest(identifier: identifier, kind: .healthResearch, protection: protection)
        return (host ?? self.host).ask {
            .submitted(Submission(request: request, submitter: .plugin(.app)), reply: $0)
        }
    }

    @Test(.proves(70)) func `it runs in the background lane, with the budget of its own kind`() throws {
        let host = SchedulerDriver(.studio()) { $0.budgets.healthResearch = .seconds(700) }
        submit(to: host)
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .background && plan.budget.total == .seconds(700))
    }

    @Test(.proves(70)) func `without the entitlement it is refused with error 3`() {
        let host = SchedulerDriver(.studio(entitlements: [.continuedProcessingGPU]))
        let refusal = submit(to: host)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .entitlementMissing)
        #expect(refusal?.message.contains("healthresearch") == true)
    }

    @Test(.proves(70)) func `an entitlement that went meanwhile keeps it waiting`() {
        host.change(locked: [.app])
        submit()
        host.install(.studio(version: "2.0", entitlements: []))
        host.finishStarting()
        host.change(locked: [])
        #expect(host.reasons(.study) == [.entitlementMissing(.healthResearch)])
        host.install(.studio(version: "3.0"))
        #expect(host.running.contains(.study))
    }

    @Test(.proves(4)) func `without mode processing it is refused with error 3`() {
        let host = SchedulerDriver(.studio(modes: [.fetch]))
        #expect(submit(to: host)?.refusal?.subReason == .processingModeMissing)
    }

    @Test(.proves("C5")) func `it counts as processing`() {
        host.change(locked: [.app])
        for number in 1...9 { host.submit(.job(number), after: .hours(1)) }
        #expect(submit()?.refusal == nil)
        #expect(host.submit(.clean, after: .hours(1))?.refusal?.subReason == .processingLimit)
        host.cancel(.job(1))
        #expect(host.submit(.clean, after: .hours(1))?.refusal == nil)
        #expect(submit(.none, .job(10))?.refusal?.subReason == .processingLimit)
    }

    @Test(.proves(66)) func `like processing it waits until the machine is idle, and ends when it is used`() {
        host.change(idle: false)
        submit()
        #expect(host.reasons(.study) == [.notIdle])
        host.change(idle: true)
        host.enter()
        host.change(idle: false)
        #expect(host.expirations.map(\.reason) == [.notIdle])
    }

    // MARK: Protection

    @Test(.proves(70), arguments: [ProtectionType.untilFirstAuthentication, .unlessOpen, .complete])
    func `while its container is locked it waits`(_ protection: ProtectionType) {
        host.change(locked: [.app])
        submit(protection)
        #expect(host.plans.isEmpty && host.reasons(.study) == [.containerLocked(.app)])
        host.change(locked: [])
        #expect(host.batches == [[.study]])
    }

    @Test(.proves(70), arguments: [ProtectionType.untilFirstAuthentication, .unlessOpen, .complete])
    func `it waits until somebody has looked at its container`(_ protection: ProtectionType) {
        host.change(locked: [], unseen: [.app])
        submit(protection)
        #expect(host.plans.isEmpty && host.reasons(.study) == [.containerLocked(.app)])
        #expect(host.watch.containers == [.app])
        host.change(locked: [])
        #expect(host.batches == [[.study]])
    }

    @Test(.proves(70)) func `a container that is not looked at for a while was not locked`() {
        submit(.complete)
        host.enter()
        host.change(locked: [], unseen: [.app])
        #expect(host.expirations.isEmpty)
        host.change(locked: [.app])
        #expect(host.expirations.map(\.reason) == [.containerLocked])
    }

    @Test(.proves(70)) func `without protection the lock does not matter`() {
        host.change(locked: [.app])
        submit(.none)
        #expect(host.batches == [[.study]])
        host.enter()
        host.change(locked: [])
        host.change(locked: [.app])
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(70), arguments: [ProtectionType.untilFirstAuthentication, .unlessOpen])
    func `what it could open stays readable when the container is locked`(_ protection: ProtectionType) {
        submit(protection)
        host.enter()
        host.change(locked: [.app])
        #expect(host.expirations.isEmpty && host.running == [.study])
    }

    @Test(.proves(70)) func `with complete protection a lock expires it, and its neighbours go on`() {
        host.change(locked: [.app])
        submit(.complete)
        host.runners = .held
        host.change(locked: [])
        host.submit(.clean)
        host.bringRunners()
        #expect(host.batches == [[.study, .clean]])
        host.enter()
        host.change(locked: [.app])
        #expect(host.expirations.map(\.tasks) == [[.study]])
        #expect(host.expirations.map(\.reason) == [.containerLocked])
    }

    @Test(.proves(70)) func `a lock during entry is told when entry has returned`() {
        submit(.complete)
        host.change(locked: [.app])
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.containerLocked])
    }

    @Test(.proves(70)) func `another plugin's locked container matters to nobody else`() {
        host.change(locked: [.mail])
        submit(.complete)
        host.enter()
        host.change(locked: [.mail])
        #expect(host.running == [.study] && host.expirations.isEmpty)
    }

    @Test(.proves(70)) func `plain processing does not mind a locked container`() {
        host.change(locked: [.app])
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
    }
}
