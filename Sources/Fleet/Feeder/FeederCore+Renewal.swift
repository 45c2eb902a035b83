// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The renewal of the lease, and the comparison of the claims of host and queue.
extension FeederCore {
    mutating func renewOrClaim(_ capacity: HostCapacity, at now: BootTime) -> FeederAction {
        self.capacity = Dictionary(
            capacity.plugins.map { ($0.plugin.identifier, $0.free) },
            uniquingKeysWith: { first, _ in first }
        )
        plugins = capacity.plugins.map(\.plugin)
        guard cycle.isRenewal else { return remaining(at: now) }
        renewalSent = now
        sentPlugins = plugins == storedPlugins ? nil : plugins
        return .sync(SyncRequest(host: settings.host, groups: settings.groups, plugins: sentPlugins))
    }

    mutating func trust(_ answer: SyncAnswer, at now: BootTime) -> FeederAction {
        terms = answer.terms
        isDraining = answer.isDraining
        storedPlugins = sentPlugins ?? storedPlugins
        nextRenewal = renewalSent + terms.jittered(using: &generator)
        let window = TrustWindow(sent: renewalSent, length: terms.length)
        self.window = window
        compare(held: answer.held, ending: answer.ending)
        cycle.slots = answer.campaigns.map {
            CampaignSlot(campaign: $0.number, delay: Spread.delay(of: settings.host, in: $0))
        }
        cycle.newEnd = window.end
        return remaining(at: now)
    }

    /// Finds claims that the queue no longer assigns to the host, which the host has to cancel, and claims that never
    /// reached the host, which return to the queue.
    ///
    /// The time of an absence ends with the read of the open claims, and not now: the machine may have been suspended
    /// since, and the host may have received a submission afterwards.
    ///
    /// - Parameter ending: claims that the host has to cancel. One that never reached the host would hold its item, and
    ///   keep newer items of the same plugin and identifier from this host, for ever.
    private mutating func compare(held: [Claim], ending: [Claim]) {
        let heldClaims = Set(held)
        cycle.cancellations = open.keys.filter { !heldClaims.contains($0) }.sorted { $0.item < $1.item }
        var absentNow: [Claim: BootTime] = [:]
        for claim in held + ending where open[claim] == nil { absentNow[claim] = absent[claim] ?? openRead }
        absent = absentNow
        cycle.returns = (held + ending).filter { claim in
            absent[claim].map { openRead - $0 >= FeederDelays.untilReturn } ?? false
        }.map { ClaimReport(claim: $0, ending: .returned(reason: "never-submitted", delay: .zero)) }
    }
}
