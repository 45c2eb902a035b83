// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Claims, and their way to the host.
extension FeederCore {
    /// The next action of the cycle after the renewal: a remaining action, then a claim, then the wait for the next cycle.
    mutating func remaining(at now: BootTime) -> FeederAction {
        if !cycle.cancellations.isEmpty {
            defer { cycle.cancellations = [] }
            return .cancel(cycle.cancellations)
        }
        if let end = cycle.newEnd {
            cycle.newEnd = nil
            return .setLease(end: end, acknowledged: acknowledged)
        }
        if !cycle.slots.isEmpty {
            defer { cycle.slots = [] }
            return .join(cycle.slots)
        }
        if !cycle.returns.isEmpty { return .report(Array(cycle.returns.prefix(settings.reportPage))) }
        if cycle.mayClaim, let request = claimRequest(at: now) {
            cycle.mayClaim = false
            return .claim(request)
        }
        return .wait(until: nextRenewal ?? now + FeederDelays.firstRetry, isWokenByJournal: true)
    }

    /// A claim of work that the host could start soon; nil when there is nothing, or when the lease is not trusted.
    private mutating func claimRequest(at now: BootTime) -> ClaimRequest? {
        guard let window, window.isOpen(at: now), !isDraining else { return nil }
        avoided = avoided.filter { now < $0.value }
        let room = plugins.compactMap { plugin -> ClaimRequest.PluginRoom? in
            guard let free = capacity[plugin.identifier], free > 0, avoided[plugin.identifier] == nil
            else { return nil }
            return ClaimRequest.PluginRoom(plugin: plugin.identifier, free: free)
        }
        let limit = min(settings.batch, settings.maximumClaims - open.count - absent.count)
        guard !room.isEmpty, limit > 0 else { return nil }
        return ClaimRequest(
            host: settings.host,
            groups: settings.groups,
            plugins: room,
            limit: limit,
            firstBucket: Int.random(in: 0..<Bucket.count, using: &generator)
        )
    }

    /// Submits claimed items, without those of a plugin and identifier of which the host already holds a claim.
    mutating func submit(_ items: [FleetItem], at now: BootTime) -> FeederAction {
        // The statement may have taken longer than the lease, such as when the machine was suspended.
        let isTrusted = window?.isOpen(at: now) ?? false
        var keys = Set(open.values)
        var submitting: [FleetItem] = []
        for item in items {
            if !isTrusted {
                giveBack(item, reason: ClaimEnding.leaseLost, delay: .zero)
            } else if keys.insert(item.key).inserted {
                submitting.append(item)
            } else {
                giveBack(item, reason: "claim-exists", delay: terms.interval)
            }
        }
        cycle.mayClaim = isTrusted && items.count >= settings.batch
        cycle.submitting = submitting
        return submitting.isEmpty ? remaining(at: now) : .submit(submitting)
    }

    mutating func settle(_ answers: [SubmissionAnswer], at now: BootTime) -> FeederAction {
        // The next claim would take the same items again.
        if !answers.contains(.accepted) { cycle.mayClaim = false }
        for (item, answer) in zip(cycle.submitting, answers) {
            switch answer {
            case .accepted:
                open[item.claim] = item.key
                capacity[item.plugin, default: 0] -= 1
            case .refused(let reason, let isPassing):
                refuse(item, reason: reason, isPassing: isPassing, at: now)
            }
        }
        cycle.submitting = []
        return remaining(at: now)
    }

    /// Returns a refused item to the queue. Another host may claim an unbound item at once. A bound item waits for this
    /// host, so that its delay keeps it from being claimed again and again.
    ///
    /// A passing refusal concerns every item of the plugin, so the host claims none for an interval. Any other refusal
    /// concerns one item, such as one with an identifier that the plugin does not have.
    private mutating func refuse(_ item: FleetItem, reason: String, isPassing: Bool, at now: BootTime) {
        let rest = isPassing ? terms.interval : FeederDelays.afterRefusal
        let isUnbound = !item.claim.isBound
        if isPassing { avoided[item.plugin] = now + rest }
        giveBack(item, reason: reason, delay: isUnbound ? .zero : rest)
    }

    private mutating func giveBack(_ item: FleetItem, reason: String, delay: Duration) {
        cycle.returns.append(ClaimReport(claim: item.claim, ending: .returned(reason: reason, delay: delay)))
    }
}
