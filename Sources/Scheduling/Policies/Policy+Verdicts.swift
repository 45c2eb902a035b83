// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The rules themselves. `must` comes before `wait` in the order of the cases.
extension Policy.Facts {
    private var policies: PolicyConfiguration { configuration.policies }

    private var isBackground: Bool { work.kind.lane == .background }

    var isPatienceOver: Bool { patienceEnd.map { $0 <= now.wall } ?? false }

    /// From when on nothing soft holds the work back.
    var patienceEnd: WallTime? {
        guard case .request(let pending) = work else { return nil }
        return pending.deferredSince.map { $0 + policies.patience }
    }

    var spacing: Policy.Verdict {
        guard isBackground, let until = standing.restsUntil, until > now.monotonic else { return .may }
        return .wait(.spacing(until: until))
    }

    var dayLimit: Duration { standing.policy.dayBudget ?? policies.dayBudget }

    var dayBudget: Policy.Verdict {
        guard isBackground, let until = standing.record.dayUse.end(of: dayLimit, at: now.wall) else { return .may }
        return .wait(.dayBudget(until: until, limit: dayLimit))
    }

    var spread: Policy.Verdict {
        guard isBackground, policies.spread > .zero else { return .may }
        let place = Surges.place(of: standing.plugin, in: policies.spread)
        let surges = surges.recent.filter { $0.cause != .network || work.needsNetwork }
        let ends = surges.map { (until: $0.at + place, cause: $0.cause) }
        guard let last = ends.max(by: { $0.until < $1.until }), last.until > now.monotonic else { return .may }
        return .wait(.spread(until: last.until, after: last.cause))
    }

    var idle: Policy.Verdict { work.kind.isProcessing && !conditions.isIdle ? .wait(.notIdle) : .may }

    /// A machine that is idle is not busy: one reason is enough.
    var load: Policy.Verdict {
        let isForIdle = work.kind.isProcessing && !policies.off.contains(.idle)
        return work.kind != .event && !isForIdle && conditions.isLoadHigh ? .wait(.highLoad) : .may
    }
}
