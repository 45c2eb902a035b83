// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskLedger
import TaskModel

// Leases of feeders: who may submit claims, and until when the host trusts them.
extension ControlRoutes {
    func leaseList() async throws -> LeaseListReply {
        let leases = try await read { scheduler, now in
            scheduler.leases.all.map { LeaseReply($0, at: now.bootTime) }
        }
        return LeaseListReply(leases: leases)
    }

    func lease(_ text: String) async throws -> LeaseReply {
        let name = try LeaseName.validated(text)
        let (lease, claims, now) = try await read { scheduler, now in
            (scheduler.leases[name], scheduler.openClaims(of: name, at: now), now)
        }
        guard let lease else { throw RouteError.noSuchLease(name) }
        guard let claims else { throw RouteError.workNotLoaded }
        let open = claims.map {
            LeaseReply.OpenClaim($0.claim, plugin: $0.plugin, identifier: $0.identifier, waiting: $0.reason)
        }
        return LeaseReply(lease, at: now.bootTime, claims: open)
    }

    func renewLease(_ text: String, _ order: LeaseOrder) async throws -> LeaseReply {
        let name = try LeaseName.validated(text)
        let trust = try order.validated()
        if let acknowledged = order.acknowledged, acknowledged > 0 {
            let newest = try await recorded { try $0.newestJournalNumber().rawValue }
            if acknowledged > newest { throw RouteError.acknowledgedTooHigh(acknowledged, newest: newest) }
        }
        let renewal = LeaseRenewal(
            name,
            owner: caller?.user ?? 0,
            trust: trust,
            acknowledged: order.acknowledged
        )
        switch await ask({ .leaseRenewed(renewal, reply: $0) }) {
        case .lease(.renewed(let lease)):
            let now = try await read { _, now in now.bootTime }
            return LeaseReply(lease, at: now)
        case let answer: throw refusal(answer, ofLease: name)
        }
    }

    func deleteLease(_ text: String) async throws -> LeaseDeletionReply {
        let name = try LeaseName.validated(text)
        let owner = role == .operate ? nil : caller?.user
        switch await ask({ .leaseDeletionRequested(name, owner: owner, reply: $0) }) {
        case .lease(.deleted): return LeaseDeletionReply(name: name)
        case let answer: throw refusal(answer, ofLease: name)
        }
    }

    /// Throws when the caller may not submit claims under the lease of a batch now.
    func checkLease(_ name: String?) async throws {
        guard let name else { return }
        let user = caller?.user
        if let problem = try await read({ scheduler, _ in scheduler.leaseProblem(name, for: user) }) {
            throw RouteError(.leaseNotTrusted, field: "lease", problem.message, remedy: problem.remedy)
        }
    }

    private func refusal(_ answer: Answer, ofLease name: String) -> RouteError {
        switch answer {
        case .lease(.unknown): .noSuchLease(name)
        case .lease(.ofAnotherUser(let user)):
            RouteError(
                .leaseOfAnotherUser,
                field: "name",
                "the lease \(name) belongs to user \(user)",
                remedy: "use another name, or let the operator delete the lease"
            )
        case .lease(.tooMany):
            RouteError(
                .tooManyLeases,
                "the host has \(LeaseTable.most) leases, as many as it accepts",
                remedy: "delete a lease that no feeder uses any more with DELETE /v1/leases/NAME"
            )
        default: unexpected(answer)
        }
    }
}

extension RouteError {
    fileprivate static func noSuchLease(_ name: String) -> Self {
        Self(
            .noSuchLease,
            "the host has no lease \(name)",
            remedy: "a feeder makes it with PUT /v1/leases/\(name); GET /v1/leases lists the others"
        )
    }

    fileprivate static var workNotLoaded: Self {
        Self(
            .workNotLoaded,
            "the host has just started and has not loaded all pending work, so it does not know the open claims",
            remedy: "try again in a second"
        )
    }

    fileprivate static func acknowledgedTooHigh(_ number: Int64, newest: Int64) -> Self {
        Self(
            .numberInvalid,
            field: "acknowledged",
            "field \"acknowledged\" is \(number), and the newest journal entry has the number \(newest)",
            remedy: "write the number of an entry that the journal has had"
        )
    }
}
