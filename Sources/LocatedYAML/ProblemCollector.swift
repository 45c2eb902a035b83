// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Collects the problems of one file while the file is read. Reading always continues.
package final class ProblemCollector {
    package let file: String
    package private(set) var problems: [DocumentProblem] = []

    package init(file: String) { self.file = file }

    package var holdsErrors: Bool { problems.contains { $0.severity == .error } }

    /// Whether an error was reported for `key`, for a key below it, or for an item of its list.
    package func holdsErrors(under key: String) -> Bool {
        problems.contains { problem in
            guard problem.severity == .error, let path = problem.key, path.hasPrefix(key) else { return false }
            return [nil, ".", "["].contains(path.dropFirst(key.count).first)
        }
    }

    /// The problems in the order of the file. Problems of the whole file come first.
    package var sorted: [DocumentProblem] { problems.inFileOrder }

    // MARK: Errors

    package func report(
        _ rule: DocumentProblem.Rule,
        key: String? = nil,
        position: TextPosition? = nil,
        _ message: String,
        remedy: String
    ) {
        add(.error, rule, key, position, message, remedy)
    }

    package func report<Value>(
        _ rule: DocumentProblem.Rule,
        at field: Field<Value>,
        _ message: String,
        remedy: String
    ) {
        add(.error, rule, field.key, field.position, message, remedy)
    }

    // MARK: Notes

    package func note<Value>(
        _ rule: DocumentProblem.Rule,
        at field: Field<Value>,
        _ message: String,
        remedy: String
    ) {
        add(.note, rule, field.key, field.position, message, remedy)
    }

    private func add(
        _ severity: DocumentProblem.Severity,
        _ rule: DocumentProblem.Rule,
        _ key: String?,
        _ position: TextPosition?,
        _ message: String,
        _ remedy: String
    ) {
        problems.append(
            DocumentProblem(
                severity: severity,
                file: file,
                position: position,
                key: key,
                rule: rule,
                message: message,
                remedy: remedy
            )
        )
    }
}

extension [DocumentProblem] {
    /// The problems of one file in the order of the file. Problems of the whole file come first; several at one place
    /// keep their order.
    package var inFileOrder: [DocumentProblem] {
        enumerated().sorted { left, right in
            let start = TextPosition(line: 0, column: 0)
            return (left.element.position ?? start, left.offset) < (right.element.position ?? start, right.offset)
        }.map(\.element)
    }
}
