// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A problem in a file with keys: its position, the violated rule, and the remedy.
package struct DocumentProblem: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Hashable, Sendable {
        /// The file is not used because of the problem.
        case error
        /// The file is valid, but its author may not expect its effect, or another file takes precedence.
        case note
    }

    package let severity: Severity
    package let file: String
    package let position: TextPosition?
    /// The path of the key, such as `permitted-identifiers[2]`; nil when the problem concerns the whole file.
    package let key: String?
    package let rule: Rule
    /// The value and the violated rule.
    package let message: String
    package let remedy: String

    package var line: Int? { position?.line }
    package var column: Int? { position?.column }

    package init(
        severity: Severity = .error,
        file: String,
        position: TextPosition? = nil,
        key: String? = nil,
        rule: Rule,
        message: String,
        remedy: String
    ) {
        self.severity = severity
        self.file = file
        self.position = position
        self.key = key
        self.rule = rule
        self.message = message
        self.remedy = remedy
    }

    package var description: String {
        let place = position.map { "\(file):\($0)" } ?? file
        let kind = severity == .note ? "note: " : ""
        return "\(place): \(kind)\(key.map { "\($0): " } ?? "")\(message); \(remedy)"
    }
}

/// A position in a text file: line and column, from 1. Columns count Unicode scalars; in a property list they count
/// bytes.
package struct TextPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "\(line):\(column)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension DocumentProblem {
    /// The name of a rule, as an identifier for programs. Modules that read other files may add rules of their own.
    package struct Rule: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package init(stringLiteral value: String) { rawValue = value }

        // Rules for the file as such.
        package static let unreadable: Rule = "unreadable"
        package static let tooLarge: Rule = "too-large"
        package static let notText: Rule = "not-text"
        package static let syntax: Rule = "syntax"
        package static let tooDeep: Rule = "too-deep"
        package static let noAliases: Rule = "no-aliases"
        package static let noTags: Rule = "no-tags"

        // Rules for keys and values of any file.
        package static let duplicateKey: Rule = "duplicate-key"
        package static let unknownKey: Rule = "unknown-key"
        package static let missingKey: Rule = "missing-key"
        package static let wrongType: Rule = "wrong-type"
        package static let wrongValue: Rule = "wrong-value"
        package static let repeatedValue: Rule = "repeated-value"
        package static let identifier: Rule = "identifier"
    }
}
