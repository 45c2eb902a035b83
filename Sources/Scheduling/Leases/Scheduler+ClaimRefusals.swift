// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Refusals of requests with a claim.
extension Scheduler {
    /// The refusal of a request with a claim: its lease is not the caller's or not trusted, the operator does not
    /// permit the plugin, or a claim of the identifier is open. Nil for any other request.
    func claimRefusal(of request: TaskRequest, by owner: PluginIdentifier) -> SubmissionRefusal? {
        guard let claim = request.claim else { return nil }
        if let (problem, remedy) = leaseProblem(claim.lease) {
            return SubmissionRefusal(
                code: .unavailable,
                subReason: .submitterMayNotSchedule,
                message: "\(problem); \(remedy)"
            )
        }
        guard configuration.fleet.permits(owner) else {
            return SubmissionRefusal(
                code: .notPermitted,
                subReason: .backgroundDenied,
                message: "\(owner) takes no work of a fleet, because fleet.plugins in the host's configuration does not"
                    + " list it; add it there and run bgtask host reload"
            )
        }
        guard let item = claimedItem(of: request.identifier, owner) else { return nil }
        return SubmissionRefusal(
            code: .immediateRunIneligible,
            subReason: .noCapacityNow,
            message: "\(request.identifier) has a request with a claim of item \(item), and a host holds at most one"
                + " claim per plugin and identifier; submit it after the end of the other request"
        )
    }

    /// The problem of a lease for the calling user, with the remedy; nil when the caller may submit claims under it.
    package func leaseProblem(_ name: String, for user: UInt32? = nil) -> (message: String, remedy: String)? {
        let renewal = "renew it with PUT /v1/leases/\(name)"
        guard let lease = leases[name] else { return ("the host has no lease \(name)", renewal) }
        if let user = user ?? callingUser?.uid, user != lease.owner {
            return ("the lease \(name) belongs to user \(lease.owner)", "use a lease of another name")
        }
        if lease.isDraining { return ("the lease \(name) was deleted and takes no further claim", renewal) }
        return lease.isTrusted ? nil : ("the lease \(name) is not trusted now", renewal)
    }

    /// The item of the open claim of an identifier: of its pending request, or of its running task. Nil without one.
    private func claimedItem(of identifier: TaskIdentifier, _ plugin: PluginIdentifier) -> Int64? {
        if let claim = plugins[plugin].requests.expected(identifier)?.request.claim { return claim.claim.item }
        for launch in launches.numbers(running: identifier).lazy.compactMap(launches.find) {
            let running = launch.execution?.tasks.filter { $0.outcome == nil }.map(\.work)
            let tasks = running ?? launch.plan?.tasks.map(\.work)
            let claim = tasks?.first { $0.identifier == identifier && $0.claim != nil }?.claim
            if let claim { return claim.claim.item }
        }
        return nil
    }
}
