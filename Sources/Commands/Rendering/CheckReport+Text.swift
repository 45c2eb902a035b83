// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import TaskModel
import TerminalText

extension CheckReport: Presentable {
    func text(for reader: Reader) -> String { manifests.map(\.text).joined(separator: "\n") }

    /// The number of manifests with each verdict, in one line.
    var closingLine: String {
        let count = manifests.count == 1 ? "1 manifest" : "\(manifests.count) manifests"
        let verdicts = CheckVerdict.allCases.compactMap { verdict in
            let count = manifests.count { $0.verdict == verdict }
            return count == 0 ? nil : (manifests.count == 1 ? verdict.words : "\(verdict.words): \(count)")
        }
        let defect =
            manifests.contains { $0.verdict == .checkerFailed }
            ? "; a check could not be performed, or a result differs from the decision of a host: report this defect of"
                + " bgtask with the files, if no reason above names another cause" : ""
        let seed = seed.map { " with seed \($0)" } ?? ""
        return "\(count) checked at level \(level) of ABI \(abi)\(seed): \(verdicts.joined(separator: ", "))\(defect)"
    }
}

extension CheckVerdict {
    var words: String {
        switch self {
        case .conforms: "conforms"
        case .passedWithExclusions: "passed with exclusions"
        case .doesNotConform: "does not conform"
        case .cannotBeLoaded: "cannot be loaded"
        case .checkerFailed: "the checker failed"
        }
    }

    var status: ExitStatus {
        switch self {
        case .conforms: .done
        case .doesNotConform: .refused
        case .checkerFailed: .checkerFailed
        case .cannotBeLoaded: .cannotBeLoaded
        case .passedWithExclusions: .passedWithExclusions
        }
    }
}

extension ManifestReport {
    var text: String {
        var lines = "\(manifest.terminalSafe): \((identifier ?? "no identifier").terminalSafe)\n"
        if let library { lines += "  library \(library.terminalSafe)\n" }
        if let libraryDigest { lines += "  sha256: \(libraryDigest)\n" }
        var table = Table("RESULT", "CHECK", "RULE", "WHY")
        for result in results {
            let why = result.reason ?? result.summary
            table.add(result.outcome.rawValue, result.check.rawValue, result.check.rule, why)
        }
        for trial in trials { table.add(trial.outcome.rawValue, trial.check, trial.rule, trial.why) }
        lines += table.text
        let findings = inFileOrder(results.flatMap(\.findings))
        return lines + findings.map(\.text).joined() + trials.compactMap(\.details).map { "\n\($0)" }.joined()
    }

    /// The findings about the manifest in the order of the file, then those about other files.
    fileprivate func inFileOrder(_ findings: [CheckFinding]) -> [CheckFinding] {
        findings.enumerated().sorted { left, right in
            func place(_ finding: CheckFinding) -> (Int, Int, Int) {
                (finding.file == manifest ? 0 : 1, finding.line ?? 0, finding.column ?? 0)
            }
            let (one, other) = (place(left.element), place(right.element))
            return one == other ? left.offset < right.offset : one < other
        }.map(\.element)
    }
}

extension CheckResult {
    /// The rules of the findings, for the column WHY of the table. The findings themselves are printed below the table.
    fileprivate var summary: String {
        switch findings.count {
        case 0: ""
        case 1: findings[0].rule
        default: "\(findings.count) findings: " + Set(findings.map(\.rule)).sorted().joined(separator: ", ")
        }
    }
}

extension CheckFinding {
    /// The finding as `file:line:column: severity: key: message; remedy`, in the format of compilers, so that editors
    /// can jump to the place.
    var text: String {
        var place = file
        if let line { place += ":\(line)" }
        if line != nil, let column { place += ":\(column)" }
        let subject = key.map { "\($0): " } ?? ""
        return "\(place): \(severity.rawValue): \(subject)\(message); \(remedy)".terminalSafe + "\n"
    }
}

extension TrialResult {
    /// The cell of this result in the column WHY of the table: the reason, otherwise the number of findings.
    fileprivate var why: String {
        reason ?? (seen.count == 1 ? "1 finding" : seen.isEmpty ? "" : "\(seen.count) findings")
    }

    /// The check with rule, expectation, findings and remedy; nil for a check without findings.
    var details: String? {
        if seen.isEmpty { return nil }
        var fields = FieldList()
        fields.add(check, outcome.rawValue)
        fields.add("  rule", rule)
        fields.add("  expected", expected)
        fields.add("  seen", each: seen)
        fields.add("  remedy", remedy)
        return fields.text
    }
}

/// The manifests and checks of a report that did not pass, for `--only-failed`.
struct FailedChecks: Presentable {
    private let report: CheckReport

    init(_ report: CheckReport) { self.report = report }

    func encode(to encoder: any Encoder) throws { try report.encode(to: encoder) }

    func text(for reader: Reader) -> String {
        let failed = report.manifests.filter { $0.verdict != .conforms && $0.verdict != .passedWithExclusions }
        return failed.map { manifest in
            let failures = manifest.results.filter { $0.outcome == .fail }.flatMap(\.findings)
            let findings = manifest.inFileOrder(failures).map(\.text)
            let trials = manifest.trials.filter { $0.outcome.isFailure || $0.outcome == .checkerError }
            let name = (manifest.identifier ?? "no identifier").terminalSafe
            return "\(manifest.manifest.terminalSafe): \(name)\n" + findings.joined()
                + trials.map { $0.details ?? "\($0.check): \($0.reason ?? "")".terminalSafe + "\n" }.joined()
        }.joined(separator: "\n")
    }
}
