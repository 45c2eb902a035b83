// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A YAML file whose root is a mapping: reads it, checks its size and passes its keys to a reader. It does not
/// interpret keys.
package enum YAMLDocument {
    /// Decodes the file at `path` with `read`, which reads the known keys of the root mapping.
    ///
    /// - Parameter mayHoldNothing: whether a file with only comments is valid; it has no keys then.
    package static func decode<Value>(
        path: String,
        mayHoldNothing: Bool = false,
        _ read: (DiagnosingMapping) -> Value
    ) -> DecodedDocument<Value> {
        let problems = ProblemCollector(file: path)
        guard let file = SmallFile(path: path, problems: problems) else {
            return DecodedDocument(value: nil, problems: problems.sorted)
        }
        return decode(bytes: file.bytes, problems: problems, mayHoldNothing: mayHoldNothing, read)
    }

    /// Decodes bytes instead of a file.
    ///
    /// - Parameter file: the name of the file in messages.
    package static func decode<Value>(
        bytes: [UInt8],
        file: String,
        _ read: (DiagnosingMapping) -> Value
    ) -> DecodedDocument<Value> {
        decode(bytes: bytes, problems: ProblemCollector(file: file), read)
    }

    package static func decode<Value>(
        bytes: [UInt8],
        problems: ProblemCollector,
        mayHoldNothing: Bool = false,
        _ read: (DiagnosingMapping) -> Value
    ) -> DecodedDocument<Value> {
        guard let text = YAMLPrescan.text(of: bytes, problems: problems) else {
            return DecodedDocument(value: nil, problems: problems.sorted)
        }
        let root = YAMLComposer(text: text, problems: problems).root()
        let entries: [YAMLEntry]
        switch root?.content {
        case .mapping(let written): entries = written
        case nil where mayHoldNothing && !problems.holdsErrors: entries = []
        default:
            if !problems.holdsErrors {
                problems.report(
                    .wrongType,
                    position: root?.position,
                    root.map { "contains \($0.kindName) instead of keys" } ?? "is empty",
                    remedy: "write key: value"
                )
            }
            return DecodedDocument(value: nil, problems: problems.sorted)
        }
        return decode(entries, start: TextPosition(line: 1, column: 1), problems: problems, read)
    }

    private static func decode<Value>(
        _ entries: [YAMLEntry],
        start: TextPosition?,
        problems: ProblemCollector,
        _ read: (DiagnosingMapping) -> Value
    ) -> DecodedDocument<Value> {
        let mapping = DiagnosingMapping(entries: entries, path: "", position: start, problems: problems)
        let value = read(mapping)
        mapping.reportUnknownKeys()
        return DecodedDocument(value: value, problems: problems.sorted)
    }

    // MARK: Values from other sources

    /// Decodes individual values, such as the options of a command line, under the rules of a file's keys.
    ///
    /// - Parameters:
    ///   - values: values by the path of their key, such as `budgets.refresh`. An empty string counts as no value.
    ///   - source: the name of the source in messages.
    package static func decode<Value>(
        values: [(key: String, text: String)],
        source: String,
        _ read: (DiagnosingMapping) -> Value
    ) -> DecodedDocument<Value> {
        let paths = values.map { (path: $0.key.split(separator: ".")[...], text: $0.text) }
        return decode(entries(of: paths), start: nil, problems: ProblemCollector(file: source), read)
    }

    private static func entries(of values: [(path: ArraySlice<Substring>, text: String)]) -> [YAMLEntry] {
        var keys: [Substring] = []
        for value in values { if let key = value.path.first, !keys.contains(key) { keys.append(key) } }
        return keys.map { key in
            let inner = values.filter { $0.path.first == key }.map { (path: $0.path.dropFirst(), text: $0.text) }
            let single = inner.first { $0.path.isEmpty }
            // `null` on a command line is meant literally.
            let content: YAMLNode.Content =
                single.map { .text($0.text, isQuoted: YAMLNode.wordsForNothing.contains($0.text)) }
                ?? .mapping(entries(of: inner))
            return YAMLEntry(key: String(key), position: nil, value: YAMLNode(content: content, position: nil))
        }
    }
}

/// Result of decoding a file: the reader's value, and all problems.
package struct DecodedDocument<Value> {
    /// The decoded value; nil when the file could not be read as a mapping. It is unreliable when `errors` is not
    /// empty.
    package let value: Value?
    package let problems: [DocumentProblem]

    package var errors: [DocumentProblem] { problems.filter { $0.severity == .error } }
}
