// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import TaskModel

/// The place from which the host takes the value of a secret setting. The value itself is in no configuration.
package enum SecretSource: Hashable, Sendable {
    /// Absolute path of a file that contains the value.
    case file(String)
    /// Name of a variable in the environment of the host.
    case environment(String)
    /// Name of a systemd credential: a file in `$CREDENTIALS_DIRECTORY`.
    case credential(String)

    /// The source in the notation of the configuration, without the value.
    package var text: String {
        switch self {
        case .file(let path): "file \(path)"
        case .environment(let name): "environment \(name)"
        case .credential(let name): "credential \(name)"
        }
    }
}

extension SecretSource {
    /// The source that a mapping of the configuration names; nil after a missing, ambiguous or invalid source was
    /// reported.
    init?(_ key: Field<String>, _ mapping: DiagnosingMapping) {
        let sources = [
            mapping.string("file").flatMap { Self.path($0, mapping.problems) },
            mapping.string("environment").flatMap { Self.variable($0, mapping.problems) },
            mapping.string("credential").flatMap { Self.credential($0, mapping.problems) },
        ].compactMap(\.self)
        let named = ["file", "environment", "credential"].filter { mapping.presence(of: $0) != nil }
        if named.count != 1 {
            mapping.problems.report(
                .wrongValue,
                at: key,
                named.isEmpty ? "names no source" : "names the sources \(named.joined(separator: " and "))",
                remedy: "write one of { file: PATH }, { environment: NAME } and { credential: NAME }"
            )
            return nil
        }
        guard let source = sources.first else { return nil }
        self = source
    }

    private static func path(_ field: Field<String>, _ problems: ProblemCollector) -> SecretSource? {
        if field.value.hasPrefix("/") { return .file(field.value) }
        problems.report(
            .wrongValue,
            at: field,
            "is \(field.value.inQuotes), not an absolute path",
            remedy: "write the absolute path of a file that contains only the value"
        )
        return nil
    }

    private static func variable(_ field: Field<String>, _ problems: ProblemCollector) -> SecretSource? {
        if field.value.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil { return .environment(field.value) }
        problems.report(
            .wrongValue,
            at: field,
            "is not the name of a variable",
            remedy: "write the name alone, in letters, digits and underscores, not beginning with a digit; the value"
                + " belongs in the environment of the host"
        )
        return nil
    }

    private static func credential(_ field: Field<String>, _ problems: ProblemCollector) -> SecretSource? {
        if !field.value.isEmpty, !field.value.contains("/"), ![".", ".."].contains(field.value) {
            return .credential(field.value)
        }
        problems.report(
            .wrongValue,
            at: field,
            "is \(field.value.inQuotes), not the name of a credential",
            remedy: "write the name that LoadCredential= of the unit has, without a slash"
        )
        return nil
    }
}
