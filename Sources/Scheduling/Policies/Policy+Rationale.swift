// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Texts about the facts behind a verdict. They contain no times; the reason's `until` has these.
extension Policy {
    func rationale(on facts: Facts) -> String {
        if facts.configuration.policies.off.contains(self) { return "disabled by policies.off in the configuration" }
        let record = facts.standing.record
        let lane = facts.work.kind.lane
        switch rule {
        case .userRequest: return facts.isUserRequested ? "requested by a user" : "not requested by a user"
        case .maximumDeferral:
            let maximumDeferral = facts.configuration.policies.maximumDeferral.humanReadable
            guard case .request(let pending) = facts.work else { return "applies to requests only" }
            guard let since = pending.deferredSince else {
                return "not deferred by advisory policies; they no longer apply after \(maximumDeferral) of deferral"
            }
            let held = max(.zero, facts.now.wall - since).humanReadable
            return "deferred by advisory policies for \(held); they no longer apply after \(maximumDeferral)"
        case .use:
            let uses = record.uses.total(at: facts.now.wall)
            let counted =
                "users launched the plugin or triggered its extensions \(uses == 1 ? "once" : "\(uses) times") in the"
                + " last 7d; plugins that users use more often get capacity first"
            return counted + (facts.useOutlook.map { "; " + $0.rationale(facts.kindSpacing ?? .zero) } ?? "")
        case .spacing where lane != .background, .dayBudget where lane != .background,
            .stagger where lane != .background:
            return "applies to background launches only"
        case .spacing:
            var spacing = "at least \(facts.standing.spacing(facts.configuration).humanReadable) between two launches"
            if let own = facts.kindSpacing, own > .zero {
                spacing += ", and \(own.humanReadable) between two launches for \(facts.work.kind.paced)"
            }
            let late = record.lateRefreshes
            if late > 0, facts.work.kind == .refresh, facts.kindSpacing != nil {
                spacing += ", after \(late == 1 ? "1 launch" : "\(late) launches in a row") with the whole budget used"
            }
            switch record.overruns {
            case 0: return spacing
            case 1: return "1 overrun of a background launch: \(spacing)"
            default: return "\(record.overruns) overruns of background launches in a row: \(spacing)"
            }
        case .dayBudget:
            let used = Duration.nanoseconds(record.dayUse.total(at: facts.now.wall))
            return "used \(used.humanReadable) of the day budget of \(facts.dayLimit.humanReadable) in the last 24h"
        case .stagger:
            return
                "for \(facts.configuration.policies.stagger.humanReadable) after a start or a resume of the machine or"
                + " a regained network, the launches of different plugins are staggered"
        case .condition(let rule) where rule.concern == .processing && !facts.work.waitsForIdle:
            return "applies to processing requests only"
        case .condition(let rule) where rule.concern == .background && lane != .background:
            return "applies to background launches only"
        case .condition(let rule) where rule.concern == .requestsNotForIdle && !facts.isConcerned(by: rule):
            return facts.configuration.policies.off.contains(.idle)
                ? "applies to requests only" : "applies to refresh and continued requests, pushes and transfers only"
        case .condition(let rule): return facts.conditions[rule.condition] ? rule.holds : rule.lacks
        }
    }
}

extension LearnedUse.Outlook {
    /// The facts behind the spacing by use.
    fileprivate func rationale(_ spacing: Duration) -> String {
        let longer = (spacing * factor).humanReadable
        let lead = LearnedUse.lead.humanReadable
        switch self {
        case .unknown: return "too few uses to expect one"
        case .soon: return "a use is expected in this hour or within \(lead), which lengthens no spacing"
        case .later: return "no use is expected within \(lead): until then \(longer) between two refresh launches"
        case .unused(let weeks, nil): return "unused for \(weeks) weeks: \(longer) between two refresh launches"
        case .unused(let weeks, _?):
            return
                "unused for \(weeks) weeks: \(longer) between two refresh launches, until \(lead) before an expected"
                + " use"
        }
    }
}

extension TaskKind {
    /// The requests to which the spacing of the kind applies.
    fileprivate var paced: String { self == .push ? "pushes" : "\(name) requests of the plugin itself" }
}
