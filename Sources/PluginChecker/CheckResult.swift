// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import PluginBinary
internal import PluginCatalogue
internal import TaskModel

/// The result of one check, with all findings.
package struct CheckResult: Hashable, Sendable, Encodable {
    package enum Outcome: String, Hashable, Sendable, Encodable, CaseIterable {
        case pass
        /// A host accepts the manifest and library, but a user may be surprised by the effect.
        case warn
        /// A host refuses the manifest or the library, or the loader refuses the library in every launch.
        case fail
        /// The check does not apply to the manifest, is outside of the profile, or could not be performed.
        case skip
        /// The check was not selected.
        case excluded
    }

    package let check: PluginCheck
    package let level = 0
    package let outcome: Outcome
    package let findings: [CheckFinding]
    /// The reason for skipping or excluding the check; nil for other outcomes.
    package let reason: String?

    init(_ check: PluginCheck, _ findings: [CheckFinding]) {
        self.check = check
        self.findings = findings
        reason = nil
        outcome =
            if findings.contains(where: { $0.severity == .error }) { .fail } else { findings.isEmpty ? .pass : .warn }
    }

    init(skipping check: PluginCheck, because reason: String) {
        self.check = check
        self.reason = reason
        findings = []
        outcome = .skip
    }

    init(excluding check: PluginCheck, because reason: String) {
        self.check = check
        self.reason = reason
        findings = []
        outcome = .excluded
    }

    private enum CodingKeys: String, CodingKey {
        case check, level, findings, reason
        case outcome = "result"
    }
}

/// One finding of a check: its place, its rule and its remedy.
package struct CheckFinding: Hashable, Sendable, Encodable {
    package enum Severity: String, Hashable, Sendable, Encodable {
        case error
        case warning
    }

    package let severity: Severity
    /// The violated rule: an ID of the ABI, the name of a rule for manifests, `loader`, or the code of a problem of the
    /// library.
    package let rule: String
    package let file: String
    /// Line in the file, from 1; nil when the finding has no position.
    package let line: Int?
    /// Column in the line, from 1; nil when the finding has no position.
    package let column: Int?
    package let key: String?
    package let message: String
    package let remedy: String

    init(_ problem: DocumentProblem) {
        severity = problem.severity == .error ? .error : .warning
        rule = problem.rule.rawValue
        file = problem.file
        line = problem.line
        column = problem.column
        key = problem.key
        message = problem.message
        remedy = problem.remedy
    }

    init(_ problem: PluginBinaryProblem, isCertain: Bool = true) {
        severity = isCertain ? .error : .warning
        rule = problem.rule?.rawValue ?? problem.code
        file = problem.path
        (line, column, key) = (nil, nil, nil)
        message =
            isCertain
            ? problem.message
            : "\(problem.message) (uncertain: the loader may use files or directories that the check cannot examine)"
        remedy = problem.remedy
    }

    init(warningAbout file: String, rule: String, _ message: String, remedy: String) {
        severity = .warning
        self.rule = rule
        self.file = file
        (line, column, key) = (nil, nil, nil)
        self.message = message
        self.remedy = remedy
    }
}
