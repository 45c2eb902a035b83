// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

/// Reads the keys of one YAML mapping by type, and reports every invalid key and value.
///
/// A read returns nil, or an empty array, when the key is missing or its value was reported as invalid; reading
/// continues, so that all problems of the file are found. Keys that were never read are reported as unknown. The type
/// does not decide whether the file is used.
package final class DiagnosingMapping {
    package let problems: ProblemCollector
    /// Path of this mapping in the file; empty for the root.
    package let path: String
    package let position: TextPosition?

    private let entries: [YAMLEntry]
    private var asked: [String] = []

    init(entries: [YAMLEntry], path: String, position: TextPosition?, problems: ProblemCollector) {
        self.entries = entries
        self.path = path
        self.position = position
        self.problems = problems
    }

    /// The path of a key of this mapping, for messages.
    package func key(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    // MARK: Presence

    /// Reads a key with a value of any type; nil without a report when the key is missing.
    package func node(_ name: String) -> Field<YAMLNode>? {
        if !asked.contains(name) { asked.append(name) }
        guard let entry = entries.first(where: { $0.key == name }) else { return nil }
        return Field(entry.value, key: key(name), position: entry.position)
    }

    /// The position of a key, whatever its value; nil when the key is missing.
    package func presence(of name: String) -> Field<Void>? { node(name)?.map { _ in } }

    package func requirePresence(of name: String, remedy: String) {
        if node(name) != nil { return }
        problems.report(
            .missingKey,
            key: key(name),
            position: position,
            "is missing",
            remedy: remedy
        )
    }

    // MARK: Simple values

    package func string(_ name: String) -> Field<String>? { node(name).flatMap { string($0, expected: "text") } }

    /// Reads a boolean; nil when the key is missing or its value was reported as invalid.
    ///
    /// - Parameter alternative: another valid value of the key, for the remedy; nil when there is none.
    package func boolean(_ name: String, or alternative: String? = nil) -> Field<Bool>? {
        node(name).flatMap { field in
            guard case .text(let text, isQuoted: false) = field.value.content, ["true", "false"].contains(text) else {
                var remedy = "write true or false"
                if case .text(let text, isQuoted: true) = field.value.content, ["true", "false"].contains(text) {
                    remedy += ", without quotes"
                } else if let alternative {
                    remedy += ", or \(alternative)"
                }
                return mismatch(field, expected: "a boolean", remedy: remedy)
            }
            return at(field, text == "true")
        }
    }

    package func integer(_ name: String, in range: ClosedRange<Int> = .min ... .max) -> Field<Int>? {
        node(name).flatMap { field in
            guard case .text(let text, isQuoted: false) = field.value.content, Self.isWholeNumber(text) else {
                let bounds = range == .min ... .max ? "" : " from \(range.lowerBound) to \(range.upperBound)"
                return mismatch(
                    field,
                    expected: "a whole number\(bounds)",
                    remedy: "write only digits, without quotes"
                )
            }
            guard let number = Int(text), range.contains(number) else {
                return outside(field, shown: text, least: "\(range.lowerBound)", most: "\(range.upperBound)")
            }
            return at(field, number)
        }
    }

    /// Reads a value of an enumeration, which is written as its raw value; nil when the key is missing or its value was
    /// reported as invalid.
    package func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of type: Value.Type = Value.self
    ) -> Field<Value>? {
        let words = Value.allCases.map(\.rawValue)
        return node(name).flatMap { field in
            guard let text = string(field, expected: "one of \(words.joined(separator: ", "))") else { return nil }
            if let value = Value(rawValue: text.value) { return text.map { _ in value } }
            problems.report(text, notAmong: words)
            return nil
        }
    }

    // MARK: Lists and mappings

    /// Reads a list of strings; nil when the key is missing or its value was reported as invalid. Items that are no
    /// strings are reported and omitted.
    package func strings(_ name: String) -> Field<[Field<String>]>? {
        node(name).flatMap { field in
            guard case .list(let items) = field.value.content else {
                return mismatch(field, expected: "a list", remedy: "write [\(Self.example(field.value))]")
            }
            let texts = items.enumerated().compactMap { index, item in
                string(Field(item, key: "\(field.key)[\(index)]", position: item.position), expected: "text")
            }
            return at(field, texts)
        }
    }

    /// Reads a mapping of free keys to single values; nil when the key is missing or its value was reported as invalid.
    /// The values are returned as strings, as written in the file; other values are reported and omitted.
    package func texts(_ name: String) -> Field<[String: String]>? {
        fields(name)?.map { fields in
            Dictionary(fields.map { ($0.name.value, $0.value.value) }) { _, last in last }
        }
    }

    /// Reads a mapping of free keys to single values, with the positions of both, in the file's order; nil when the key
    /// is missing or its value was reported as invalid. Other values are reported and omitted.
    package func fields(_ name: String) -> Field<[(name: Field<String>, value: Field<String>)]>? {
        node(name).flatMap { field in
            guard case .mapping(let entries) = field.value.content else {
                return mismatch(field, expected: "a mapping", remedy: "write { key: value }")
            }
            let fields = entries.compactMap { entry -> (name: Field<String>, value: Field<String>)? in
                let value = Field(entry.value, key: "\(field.key).\(entry.key)", position: entry.position)
                guard let text = string(value, expected: "a single value") else { return nil }
                return (Field(entry.key, key: value.key, position: entry.position), text)
            }
            return at(field, fields)
        }
    }

    /// A single value, or the value that was read from a mapping.
    package enum TextOrMapping<Value> {
        case text(Field<String>)
        case mapping(Value)
    }

    /// Reads a mapping of free keys to single values or to mappings with known keys, in the file's order; empty when
    /// the key is missing or its value was reported as invalid. Other values are reported and omitted.
    package func fieldsOrMappings<Value>(
        _ name: String,
        _ read: (DiagnosingMapping) -> Value
    ) -> [(name: Field<String>, value: TextOrMapping<Value>)] {
        guard let field = node(name) else { return [] }
        guard case .mapping(let entries) = field.value.content else {
            let _: Field<Void>? = mismatch(field, expected: "a mapping", remedy: "write { key: value }")
            return []
        }
        return entries.compactMap { entry in
            let value = Field(entry.value, key: "\(field.key).\(entry.key)", position: entry.position)
            let name = Field(entry.key, key: value.key, position: entry.position)
            if case .mapping = entry.value.content { return inner(value, read).map { (name, .mapping($0)) } }
            return string(value, expected: "a single value").map { (name, .text($0)) }
        }
    }

    /// Reads a nested mapping with known keys by `read`; nil when the key is missing or its value was reported as
    /// invalid.
    package func mapping<Value>(_ name: String, _ read: (DiagnosingMapping) -> Value) -> Value? {
        node(name).flatMap { inner($0, read) }
    }

    /// Reads a mapping of free keys to mappings with known keys, in the file's order; empty when the key is missing or
    /// its value was reported as invalid.
    package func mappings<Value>(
        _ name: String,
        _ read: (_ key: Field<String>, _ mapping: DiagnosingMapping) -> Value
    ) -> [Value] {
        guard let field = node(name) else { return [] }
        guard case .mapping(let entries) = field.value.content else {
            let _: Field<Void>? = mismatch(field, expected: "a mapping", remedy: "write \(name): { key: { ... } }")
            return []
        }
        return entries.compactMap { entry in
            let value = Field(entry.value, key: "\(field.key).\(entry.key)", position: entry.position)
            return inner(value) { read(Field(entry.key, key: value.key, position: entry.position), $0) }
        }
    }

    /// Reads a list of mappings with known keys, each by `read`; nil when the key is missing or its value was reported
    /// as invalid.
    package func mappings<Value>(inList name: String, _ read: (DiagnosingMapping) -> Value) -> Field<[Value]>? {
        node(name).flatMap { field in
            guard case .list(let items) = field.value.content else {
                return mismatch(field, expected: "a list", remedy: "write each item after a hyphen, below the key")
            }
            let values = items.enumerated().compactMap { index, item in
                inner(Field(item, key: "\(field.key)[\(index)]", position: item.position), read)
            }
            return at(field, values)
        }
    }

    package func inner<Value>(_ field: Field<YAMLNode>, _ read: (DiagnosingMapping) -> Value) -> Value? {
        guard case .mapping(let entries) = field.value.content else {
            let _: Field<Void>? = mismatch(field, expected: "a mapping", remedy: "write { key: value }")
            return nil
        }
        let mapping = DiagnosingMapping(entries: entries, path: field.key, position: field.position, problems: problems)
        let value = read(mapping)
        mapping.reportUnknownKeys()
        return value
    }

    // MARK: Reports

    /// Reports the keys that were not read, except keys that begin with `x-`, which serve as comments. Called once,
    /// after all reads.
    func reportUnknownKeys() {
        for entry in entries where !asked.contains(entry.key) && !entry.key.hasPrefix("x-") {
            problems.report(
                .unknownKey,
                key: key(entry.key),
                position: entry.position,
                "is not a known key",
                remedy: Self.remedy(forUnknown: entry.key, among: asked)
            )
        }
    }

    /// The remedy for an unknown key: the nearest known key or, if none is near, all known keys and an upgrade; and as
    /// an alternative the prefix `x-`.
    private static func remedy(forUnknown key: String, among known: [String]) -> String {
        let upgrade = NearestWord.to(key, among: known) == nil ? ", upgrade bgtaskd if a later release has it" : ""
        return NearestWord.remedy(for: key, among: known) + upgrade
            + ", or begin the key with x- to keep it as a comment"
    }

    package func mismatch<Value>(_ field: Field<YAMLNode>, expected: String, remedy: String) -> Field<Value>? {
        if case .refused = field.value.content { return nil }
        problems.report(.wrongType, at: at(field, ()), "is \(field.value.kindName), not \(expected)", remedy: remedy)
        return nil
    }

    /// Reports a value outside of its range, and returns nil.
    ///
    /// - Parameter shown: the value as written in the file, which needs no escapes.
    func outside<Value>(_ field: Field<YAMLNode>, shown: String, least: String, most: String) -> Field<Value>? {
        if least == most { return outside(field, shown: shown, rule: "not \(least)", remedy: "write \(least)") }
        return outside(field, shown: shown, rule: "not between \(least) and \(most)")
    }

    func outside<Value>(
        _ field: Field<YAMLNode>,
        shown: String,
        rule: String,
        remedy: String = "write a value in that range"
    ) -> Field<Value>? {
        let limit = 40
        let brief = shown.count > limit ? "\(shown.prefix(limit))..." : shown
        problems.report(
            .wrongValue,
            at: at(field, ()),
            "is \(brief), which is \(rule)",
            remedy: remedy
        )
        return nil
    }

    private static func isWholeNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        return !digits.isEmpty && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Returns `value` as a field with the key of `field`. Its position is that of the value in the file, or that of
    /// the key when the value in the file is null.
    package func at<Value>(_ field: Field<YAMLNode>, _ value: Value) -> Field<Value> {
        Field(value, key: field.key, position: field.value.isNothing ? field.position : field.value.position)
    }

    /// Returns the text of a field. For any other value, reports a mismatch and returns nil.
    ///
    /// - Parameter expected: name of the valid values, for the message.
    package func string(_ field: Field<YAMLNode>, expected: String) -> Field<String>? {
        guard case .text(let text, _) = field.value.content, !field.value.isNothing else {
            return mismatch(field, expected: expected, remedy: "write \(expected == "text" ? "a text" : expected)")
        }
        return at(field, text)
    }

    private static func example(_ node: YAMLNode) -> String {
        guard case .text(let text, _) = node.content, !node.isNothing else { return "value, value" }
        return text
    }
}
