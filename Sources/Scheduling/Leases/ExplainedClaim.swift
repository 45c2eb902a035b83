// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The claim of a task, with its lease, for `why`.
package struct ExplainedClaim: Hashable, Sendable {
    package let claim: LeasedClaim
    /// The lease; nil when the host does not have it any more.
    package let lease: SubmitterLease?
}

/// An open claim of a lease.
package struct ClaimedTask: Hashable, Sendable {
    package let claim: Claim
    package let plugin: PluginIdentifier
    package let identifier: TaskIdentifier
    /// The first reason that blocks the request; nil for a request that may start, and for a running task.
    package let reason: Reason?
}

extension Scheduler {
    /// The claims of a lease whose requests are pending or running, in the order of their submission; nil while some
    /// pending work is not loaded.
    package func openClaims(of lease: String, at now: Moment) -> [ClaimedTask]? {
        if loading.isPartial(WorkFilter()) { return nil }
        return openHoldings(of: lease).sorted { $0.key < $1.key }.map { number, holding in
            let stored = plugins[holding.plugin].requests[holding.identifier]
            let pending = stored.flatMap { $0.number == number ? $0 : nil }
            return ClaimedTask(
                claim: holding.claim,
                plugin: holding.plugin,
                identifier: holding.identifier,
                reason: pending.flatMap { reasons(against: $0, at: now).first }
            )
        }
    }

    /// The claim of the pending request of an identifier or, without one, of its running task.
    func explainedClaim(of identifier: TaskIdentifier, _ plugin: PluginIdentifier) -> ExplainedClaim? {
        guard leases.hasHoldings, plugins.contains(plugin) else { return nil }
        let running = launches.numbers(running: identifier).lazy.compactMap(launches.find)
            .compactMap(\.execution).flatMap(\.tasks)
            .first { $0.outcome == nil && $0.work.identifier == identifier }?.work.claim
        let claim = plugins[plugin].requests[identifier]?.request.claim ?? running
        return claim.map { ExplainedClaim(claim: $0, lease: leases[$0.lease]) }
    }
}
