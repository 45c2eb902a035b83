// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Health research is processing with an entitlement and a data protection type")
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

    @Test(.proves(70)) func `health research runs in the background lane with the budget of its own kind`() throws {
        let host = SchedulerDriver(.studio()) { $0.budgets.healthResearch = .seconds(700) }
        submit(to: host)
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .background && plan.budget.total == .seconds(700))
    }

    @Test(.proves(70)) func `a health research submission without the entitlement is refused with error 3`() {
        let host = SchedulerDriver(.studio(entitlements: [.continuedProcessingGPU]))
        let refusal = submit(to: host)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .entitlementMissing)
        #expect(refusal?.message.contains("health-research: true") == true)
    }

    @Test(.proves(70)) func `pending health research waits while its plugin lacks the entitlement`() {
        host.change(locked: [.app])
        submit()
        host.install(.studio(version: "2.0", entitlements: []))
        host.finishStarting()
        host.change(locked: [])
        #expect(host.reasons(.study) == [.entitlementMissing(.healthResearch)])
        host.install(.studio(version: "3.0"))
        #expect(host.running.contains(.study))
    }

    @Test(.proves(4)) func `a health research submission without mode processing is refused`() {
        let host = SchedulerDriver(.studio(modes: [.fetch]))
        #expect(submit(to: host)?.refusal?.subReason == .processingModeMissing)
    }

    @Test(.proves("C5")) func `health research counts against the limit of processing requests`() {
        host.change(locked: [.app])
        for number in 1...9 { host.submit(.job(number), after: .hours(1)) }
        #expect(submit()?.refusal == nil)
        #expect(host.submit(.clean, after: .hours(1))?.refusal?.subReason == .processingLimit)
        host.cancel(.job(1))
        #expect(host.submit(.clean, after: .hours(1))?.refusal == nil)
        #expect(submit(.none, .job(10))?.refusal?.subReason == .processingLimit)
    }

    @Test(.proves(66)) func `health research waits for an idle machine and expires when the machine is used`() {
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
    func `health research with protection waits while its container is locked`(_ protection: ProtectionType) {
        host.change(locked: [.app])
        submit(protection)
        #expect(host.plans.isEmpty && host.reasons(.study) == [.containerLocked(.app)])
        host.change(locked: [])
        #expect(host.batches == [[.study]])
    }

    @Test(.proves(70), arguments: [ProtectionType.untilFirstAuthentication, .unlessOpen, .complete])
    func `health research with protection waits until its container was sampled`(_ protection: ProtectionType) {
        host.change(locked: [], unseen: [.app])
        submit(protection)
        #expect(host.plans.isEmpty && host.reasons(.study) == [.containerLocked(.app)])
        #expect(host.watch.containers == [.app])
        host.change(locked: [])
        #expect(host.batches == [[.study]])
    }

    @Test(.proves(70))
    func `running health research with complete protection expires when its container is locked, not when unsampled`() {
        submit(.complete)
        host.enter()
        host.change(locked: [], unseen: [.app])
        #expect(host.expirations.isEmpty)
        host.change(locked: [.app])
        #expect(host.expirations.map(\.reason) == [.containerLocked])
    }

    @Test(.proves(70)) func `health research without protection runs regardless of the lock of its container`() {
        host.change(locked: [.app])
        submit(.none)
        #expect(host.batches == [[.study]])
        host.enter()
        host.change(locked: [])
        host.change(locked: [.app])
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves(70), arguments: [ProtectionType.untilFirstAuthentication, .unlessOpen])
    func `running health research without complete protection continues when its container is locked`(
        _ protection: ProtectionType
    ) {
        submit(protection)
        host.enter()
        host.change(locked: [.app])
        #expect(host.expirations.isEmpty && host.running == [.study])
    }

    @Test(.proves(70))
    func `a locked container expires health research with complete protection and no other task of its launch`() {
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

    @Test(.proves(70))
    func `a container locked during entry expires health research with complete protection after entry returns`() {
        submit(.complete)
        host.change(locked: [.app])
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.containerLocked])
    }

    @Test(.proves(70)) func `health research runs while the container of another plugin is locked`() {
        host.change(locked: [.mail])
        submit(.complete)
        host.enter()
        host.change(locked: [.mail])
        #expect(host.running == [.study] && host.expirations.isEmpty)
    }

    @Test(.proves(70)) func `plain processing runs while its container is locked`() {
        host.change(locked: [.app])
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
    }
}
