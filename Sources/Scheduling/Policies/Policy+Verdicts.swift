// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The rules of the policies. The policies with verdict `must` come before those with `wait` in the order of cases.
extension Policy.Facts {
    private var policies: PolicyConfiguration { configuration.policies }

    private var isBackground: Bool { work.kind.lane == .background }

    var isMaximumDeferralOver: Bool { maximumDeferralEnd.map { $0 <= now.wall } ?? false }

    /// The end of the maximum deferral. From then on, advisory policies no longer delay the work. Nil for an event, and
    /// for a request whose deferral has not begun.
    var maximumDeferralEnd: WallTime? {
        guard case .request(let pending) = work else { return nil }
        return pending.deferredSince.map { $0 + policies.maximumDeferral }
    }

    var spacing: Policy.Verdict {
        guard isBackground else { return .may }
        let rest = standing.cooldownEnd.map { $0 - now.monotonic } ?? .zero
        if let spacing = kindSpacing, let last = standing.record.ownEnds[work.kind],
            last + spacing - now.wall > max(rest, .zero)
        {
            return .wait(.kindSpacing(until: last + spacing, work.kind, spacing))
        }
        guard let until = standing.cooldownEnd, rest > .zero else { return .may }
        return .wait(.spacing(until: until))
    }

    /// The spacing of the kind of the work; nil for work that no such spacing concerns: events, kinds without a
    /// spacing, requests that the plugin did not submit itself, and requests that run again after an interruption.
    var kindSpacing: Duration? {
        guard case .request(let pending) = work, pending.isPaced else { return nil }
        return standing.record.spacing(of: work.kind, policies)
    }

    /// The outlook on the use of the plugin; nil for work whose spacing it does not lengthen.
    var useOutlook: LearnedUse.Outlook? {
        guard work.kind == .refresh, kindSpacing != nil else { return nil }
        return standing.learnedUse?.outlook(at: now.wall)
    }

    var use: Policy.Verdict {
        guard let outlook = useOutlook, let spacing = kindSpacing, let last = standing.record.ownEnds[work.kind],
            let end = standing.learnedUse?.end(of: spacing, since: last, by: outlook), end > now.wall
        else { return .may }
        return .wait(.useSpacing(until: end, spacing * outlook.factor, unused: outlook.unusedWeeks))
    }

    var dayLimit: Duration { standing.policy.dayBudget ?? policies.dayBudget }

    var dayBudget: Policy.Verdict {
        guard isBackground, let until = standing.record.dayUse.end(of: dayLimit, at: now.wall) else { return .may }
        return .wait(.dayBudget(until: until, limit: dayLimit))
    }

    var stagger: Policy.Verdict {
        guard isBackground, policies.stagger > .zero else { return .may }
        let offset = StartupWaves.offset(of: standing.plugin, in: policies.stagger)
        let startupWaves = startupWaves.recent.filter { $0.cause != .network || work.needs(.network) }
        let ends = startupWaves.map { (until: $0.at + offset, cause: $0.cause) }
        guard let last = ends.max(by: { $0.until < $1.until }), last.until > now.monotonic else { return .may }
        return .wait(.stagger(until: last.until, after: last.cause))
    }

    func verdict(by rule: Policy.ConditionRule) -> Policy.Verdict {
        let isTrouble = rule.condition.row.traits.contains(.trouble)
        return isConcerned(by: rule) && conditions[rule.condition] == isTrouble ? .wait(rule.reason) : .may
    }

    func isConcerned(by rule: Policy.ConditionRule) -> Bool {
        switch rule.concern {
        case .processing: work.waitsForIdle
        case .background: isBackground
        // An idle machine is not busy, so processing needs only the policy `idle`.
        case .requestsNotForIdle: work.kind != .event && !(work.waitsForIdle && !policies.off.contains(.idle))
        }
    }
}
