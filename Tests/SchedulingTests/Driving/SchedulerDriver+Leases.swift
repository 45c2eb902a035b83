// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// A feeder: its lease, and the requests with a claim.
extension SchedulerDriver {
    /// A host that takes work of a fleet for its plugins.
    static func inFleet(_ configure: (inout SchedulingConfiguration) -> Void = { _ in }) -> SchedulerDriver {
        SchedulerDriver(.app(), .mail()) { configuration in
            configuration.fleet.plugins = [PluginPattern("*")].compactMap(\.self)
            configure(&configuration)
        }
    }

    @discardableResult
    func renew(
        _ lease: String = "fleet",
        for duration: Duration = .seconds(30),
        acknowledging number: Int64? = nil,
        as user: UInt32 = 1_000
    ) -> LeaseAnswer? {
        let renewal = LeaseRenewal(lease, owner: user, trust: .lasting(duration), acknowledged: number)
        return leaseAnswer { .leaseRenewed(renewal, reply: $0) }
    }

    @discardableResult
    func renew(_ lease: String = "fleet", until end: BootTime) -> LeaseAnswer? {
        let renewal = LeaseRenewal(lease, owner: 1_000, trust: .until(end))
        return leaseAnswer { .leaseRenewed(renewal, reply: $0) }
    }

    @discardableResult
    func deleteLease(_ lease: String = "fleet", as user: UInt32? = 1_000) -> LeaseAnswer? {
        leaseAnswer { .leaseDeletionRequested(lease, owner: user, reply: $0) }
    }

    private func leaseAnswer(_ question: (ReplyToken) -> SchedulerEvent) -> LeaseAnswer? {
        if case .lease(let answer)? = ask(question) { answer } else { nil }
    }

    @discardableResult
    func claim(
        _ identifier: TaskIdentifier,
        item: Int64 = 71,
        bound: Bool = false,
        needsPower: Bool = false,
        under lease: String = "fleet"
    ) -> Answer? {
        let claim = Claim(item: item, fence: 3, isBound: bound)
        let request = TaskRequest(
            identifier: identifier,
            kind: .processing,
            requiresExternalPower: needsPower,
            claim: LeasedClaim(claim, under: lease)
        )
        return ask { .submitted(Submission(request: request, submitter: .user), reply: $0) }
    }

    /// Suspends the machine; the scheduler then gets the event of its resume.
    func suspend(for duration: Duration) {
        clock.suspend(for: duration)
        send(.resumed)
    }

    var openItems: [Int64]? { scheduler.openClaims(of: "fleet", at: clock.now)?.map(\.claim.item) }
}
