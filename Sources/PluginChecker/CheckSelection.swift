// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A selection of checks, by regular expressions on their names.
package struct CheckSelection {
    /// The reason why a selection is invalid.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    private let include: Regex<AnyRegexOutput>?
    private let exclude: Regex<AnyRegexOutput>?
    private let includeText: String
    private let reason: String
    package let profile: CheckProfile?

    package static var everything: CheckSelection { CheckSelection() }

    private init() {
        (include, exclude, includeText, reason, profile) = (nil, nil, "", "", nil)
    }

    /// Creates a selection. Throws for an expression that is invalid or matches no check, and when only one of
    /// `exclude` and `reason` is given.
    ///
    /// - Parameters:
    ///   - include: expression for the selected checks; nil for all.
    ///   - exclude: expression for the excluded checks; nil for none.
    ///   - reason: the reason for excluding checks, for readers of the report.
    ///   - profile: the profile whose checks are selected; nil for the checks of all roles.
    ///   - names: the names of all checks.
    package init(
        include: String?,
        exclude: String?,
        reason: String?,
        profile: CheckProfile? = nil,
        among names: [String] = PluginCheck.allCases.map(\.rawValue)
    ) throws(Problem) {
        if exclude != nil, reason?.isEmpty ?? true {
            throw Problem(description: "--exclude requires a reason; give it with --reason")
        }
        if exclude == nil, reason != nil {
            throw Problem(description: "--reason explains excluded checks; use it with --exclude")
        }
        self.include = try include.map { text throws(Problem) in try Self.expression(text, "--include", names) }
        self.exclude = try exclude.map { text throws(Problem) in try Self.expression(text, "--exclude", names) }
        includeText = include ?? ""
        self.reason = reason ?? ""
        self.profile = profile
    }

    /// The reason why a check is excluded; nil for a selected check.
    package func exclusion(of check: String) -> String? {
        if let exclude, check.contains(exclude) { return reason }
        if let include, !check.contains(include) { return "not selected by --include \(includeText)" }
        return nil
    }

    /// The reason why the profile leaves a check out; nil for a check of the profile.
    package func omission(of check: String) -> String? { profile?.omission(of: check) }

    /// Compiles an expression. Throws for an invalid one, and for one that matches no check, which is most likely a
    /// mistake.
    private static func expression(
        _ text: String,
        _ option: String,
        _ names: [String]
    ) throws(Problem) -> Regex<AnyRegexOutput> {
        guard let expression = try? Regex(text) else {
            throw Problem(
                description: "\(option) \(text) is not a valid regular expression; correct it, and put it in single"
                    + " quotes"
            )
        }
        guard names.contains(where: { $0.contains(expression) }) else {
            throw Problem(
                description: "\(option) \(text) matches no check; list the checks with: bgtask plugin check --list"
            )
        }
        return expression
    }
}
