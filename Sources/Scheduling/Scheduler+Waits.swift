// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The history of what work waited for: a line per stretch, written when it matters and not for every passing moment.
extension Scheduler {
    /// The work was looked at and may not run.
    mutating func noteWait(of work: PendingWork, for reasons: [Reason], at now: Moment) {
        // What a commit under way decides is looked at again when that is known.
        if plugins[work.plugin]?.isBeingRecorded(work) == true { return }
        holdSoftly(work, for: reasons, at: now)
        // Before its time has come, nothing else is waited for.
        let times = reasons.filter(\.isOwnTime)
        let reasons = times.isEmpty ? reasons : times
        let codes = Set(reasons.map(\.code))
        let old = plugins[work.plugin]?.waits[work.number]
        if codes.isEmpty || old?.reasons == codes { return }
        let isLasting = reasons.contains { !$0.isMomentary }
        var changes = closing(old, of: work, at: now)
        let wasOpen = old?.isWritten == true || !changes.isEmpty
        if isLasting {
            changes.append(.recordWait(work, reasons: codes.sorted(), at: now.wall))
        } else if wasOpen {
            changes.append(.recordWait(work, reasons: [], at: now.wall))
        }
        plugins[work.plugin]?.waits[work.number] = Wait(
            reasons: codes,
            since: now.wall,
            isWritten: isLasting,
            mayBeOpen: old?.mayBeOpen == true || !changes.isEmpty
        )
        if !changes.isEmpty { stage(.wait(work), changes) }
    }

    /// What the commit that ends the waiting has to say of it.
    func endWait(of work: PendingWork, at now: Moment) -> [LedgerChange] {
        guard let wait = plugins[work.plugin]?.waits[work.number] else { return [] }
        let changes = closing(wait, of: work, at: now)
        guard wait.mayBeOpen || !changes.isEmpty else { return [] }
        return changes + [.recordWait(work, reasons: [], at: now.wall)]
    }

    /// The ledger has whatever it had: the next look, a little later, says what holds, or the end that is on its way.
    mutating func waitNotRecorded(of work: PendingWork, at now: Moment) {
        if plugins[work.plugin]?.waits[work.number] == nil {
            keep([.recordWait(work, reasons: [], at: now.wall)])
        } else {
            plugins[work.plugin]?.waits[work.number] = Wait(
                reasons: [],
                since: now.wall,
                isWritten: true,
                mayBeOpen: true
            )
            agenda.addOnce(.plugin(work.plugin, work.kind.lane), at: now.monotonic + configuration.hostRetryDelay)
        }
    }

    private func closing(_ wait: Wait?, of work: PendingWork, at now: Moment) -> [LedgerChange] {
        guard let wait, !wait.isWritten, now.wall - wait.since >= Wait.shortest else { return [] }
        return [.recordWait(work, reasons: wait.reasons.sorted(), at: wait.since)]
    }

    /// From the first moment at which nothing but soft reasons stood against it, its patience runs (C12).
    private mutating func holdSoftly(_ work: PendingWork, for reasons: [Reason], at now: Moment) {
        guard case .request(let request) = work, reasons.allSatisfy(\.isSoft),
            reasons.contains(where: { !$0.isMomentary })
        else { return }
        // A clock that was ahead when it was held is no reason to wait for that moment to come again.
        if let since = request.heldSoftlySince, since <= now.wall { return }
        hold(request, since: now.wall)
        stage(.hold(request, since: now.wall), [.holdSoftly(request.number, since: now.wall)])
    }

    mutating func hold(_ request: PendingRequest, since: WallTime?) {
        plugins[request.plugin]?.hold(request.request.identifier, number: request.number, since: since)
    }

    /// It is looked at when its patience ends, should nothing else come before.
    mutating func awaitPatience(of work: PendingWork, at now: Moment) {
        guard let since = work.identifier.flatMap({ plugins[work.plugin]?.pending[$0]?.heldSoftlySince }) else {
            return
        }
        let end = since + configuration.policies.patience
        if end > now.wall { agenda.addOnce(.plugin(work.plugin, work.kind.lane), at: end) }
    }

    /// It could not be written: one that began later goes by what was before, or the next look, a little later, begins anew.
    mutating func forgetHold(of request: PendingRequest, since: WallTime, at now: Moment) {
        for case (let ticket, .hold(var later, since: let begin)) in staged
        where later.number == request.number && later.heldSoftlySince == since {
            later.heldSoftlySince = request.heldSoftlySince
            staged[ticket] = .hold(later, since: begin)
            return
        }
        hold(request, since: request.heldSoftlySince)
        let retry = now.monotonic + configuration.hostRetryDelay
        agenda.addOnce(.plugin(request.plugin, request.request.kind.lane), at: retry)
    }
}
