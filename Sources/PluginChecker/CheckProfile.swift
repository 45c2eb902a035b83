// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A named set of checks for the plugins of one role. The other checks are skipped with their reason, and do not count as
/// exclusions.
package enum CheckProfile: String, CaseIterable, Hashable, Sendable {
    case main
    case `extension`

    /// The reason why a check is outside of the profile; nil for a check that belongs to it.
    package func omission(of check: String) -> String? {
        omissions[check].map { "outside of the profile \(rawValue): \($0)" }
    }

    /// The names of the checks outside of the profile.
    package var omitted: [String] { omissions.keys.sorted() }

    private var omissions: [String: String] {
        switch self {
        case .main:
            [
                "containing-plugin": "a main plugin has no main plugin of its own",
                "extension-registers-nothing": "a main plugin registers handlers",
                "receives-triggers": "a main plugin gets no triggers",
            ]
        case .extension:
            [
                "task-identifiers-free": "an extension owns no task identifier",
                "register-permitted": Self.noHandler, "register-once": Self.noHandler,
                "register-in-entry": Self.noHandler, "register-all": Self.noHandler,
                "submit-registered": Self.noHandler, "register-refused-survives": Self.noHandler,
                "progress-reported": "an extension has no continued task",
                "leak-per-task": "an extension has no task",
            ]
        }
    }

    private static let noHandler = "an extension registers no handler"
}
