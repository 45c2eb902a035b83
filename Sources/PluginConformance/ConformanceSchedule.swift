// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginChecker

/// The order of the checks of one run: a check is due when all checks that it needs have results. It is skipped when
/// one of them failed, could not be performed, or was skipped for such a cause: one defect of a plugin fails one check.
package struct ConformanceSchedule {
    private var waiting: [ConformanceCheck]
    private var outcomes: [String: TrialResult] = [:]

    /// Creates a schedule in which every check waits that is neither excluded nor omitted.
    ///
    /// - Parameters:
    ///   - level: the highest level of the checks to run.
    ///   - exclusion: returns by name the reason why a check is excluded; nil for a selected check.
    ///   - omission: returns by name the reason why a check is outside of the profile; nil for a check of the profile.
    package init(
        _ checks: [ConformanceCheck] = ConformanceCheck.all,
        level: Int,
        exclusion: (String) -> String? = { _ in nil },
        omission: (String) -> String? = { _ in nil }
    ) {
        let offered = checks.filter { $0.level <= level }
        let leftOut = offered.compactMap { check in
            omission(check.name).map { check.result(.skip, reason: $0, isInapplicable: true) }
                ?? exclusion(check.name).map { check.result(.excluded, reason: $0) }
        }
        let names = Set(leftOut.map(\.check))
        self.leftOut = leftOut
        waiting = offered.filter { !names.contains($0.name) }
        for result in leftOut { outcomes[result.check] = result }
    }

    /// The results of the checks that are excluded or outside of the profile.
    package let leftOut: [TrialResult]

    package var isDone: Bool { waiting.isEmpty }

    package mutating func add(_ result: TrialResult) { outcomes[result.check] = result }

    /// Removes the due checks and the checks to be skipped from the schedule, and returns them.
    package mutating func next() -> (due: [ConformanceCheck], skipped: [TrialResult]) {
        var due: [ConformanceCheck] = []
        var skipped: [TrialResult] = []
        var rest: [ConformanceCheck] = []
        for check in waiting {
            let needed = check.needs.map { outcomes[$0] }
            if let obstacle = needed.lazy.compactMap(\.self).first(where: \.isObstacle) {
                let result = check.result(.skip, reason: "the check \(obstacle.check) did not pass")
                outcomes[check.name] = result
                skipped.append(result)
            } else if needed.contains(where: { $0 == nil }) {
                rest.append(check)
            } else {
                due.append(check)
            }
        }
        waiting = rest
        return (due, skipped)
    }
}

extension TrialResult {
    /// Whether checks that need this one are skipped.
    fileprivate var isObstacle: Bool {
        outcome.isFailure || outcome == .checkerError || outcome == .skip && !isInapplicable
    }
}

extension ConformanceCheck {
    func result(_ outcome: TrialResult.Outcome, reason: String? = nil, isInapplicable: Bool = false) -> TrialResult {
        TrialResult(
            check: name,
            level: level,
            rule: rule.name,
            outcome,
            reason: reason,
            expected: promise,
            isInapplicable: isInapplicable
        )
    }

    /// The result of the flaws: the outcome of the gravest flaw, and each flaw once.
    func result(of flaws: [ConformanceFlaw]) -> TrialResult {
        let kinds = Set(flaws.map(\.kind))
        // Without the measurement there is no verdict, unless the plugin failed in another way.
        if let gap = flaws.first(where: { $0.kind == .unmeasured }), kinds.isSubset(of: [.unmeasured, .remark]) {
            return result(.checkerError, reason: gap.seen)
        }
        let outcome: TrialResult.Outcome =
            kinds.isEmpty
            ? .pass
            : kinds.contains(.crash)
                ? .crash
                : kinds.contains(.exit)
                    ? .exitedEarly
                    : kinds.contains(.fault)
                        ? .fail : kinds.contains(.leak) ? .leak : kinds.contains(.time) ? .timeout : .warn
        var seen: [String] = []
        for flaw in flaws where !seen.contains(flaw.seen) { seen.append(flaw.seen) }
        return TrialResult(
            check: name,
            level: level,
            rule: rule.name,
            outcome,
            expected: promise,
            seen: seen,
            remedy: flaws.isEmpty ? nil : remedy
        )
    }
}
