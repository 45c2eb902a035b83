// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import LocatedYAML
internal import TaskModel

/// The root dictionary of an XML or binary property list. Only requested keys are read.
struct PropertyListFile {
    private enum Root {
        case xml([String: Any])
        case binary(BinaryPropertyList)
    }

    /// The bytes of the whole file.
    let bytes: [UInt8]
    private let root: Root
    private let problems: ProblemCollector

    /// Reads the root dictionary. When the file is invalid, reports a problem and returns nil.
    init?(bytes: [UInt8], problems: ProblemCollector) {
        guard
            let root = bytes.starts(with: Array("bplist".utf8))
                ? Self.binaryRoot(bytes, problems) : Self.xmlRoot(bytes, problems)
        else { return nil }
        self.bytes = bytes
        self.root = root
        self.problems = problems
    }

    private static func binaryRoot(_ bytes: [UInt8], _ problems: ProblemCollector) -> Root? {
        if let list = BinaryPropertyList(bytes: bytes) {
            for key in list.repeatedKeys { report(key, at: nil, to: problems) }
            return .binary(list)
        }
        problems.report(
            .syntax,
            "is a binary property list that is damaged or has no dictionary at its root",
            remedy: "save it again with a dictionary at its root, or write a YAML manifest"
        )
        return nil
    }

    private static func xmlRoot(_ bytes: [UInt8], _ problems: ProblemCollector) -> Root? {
        // The parser also accepts an older format, in which any word is a property list.
        let start = String(decoding: bytes.prefix(512), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{feff}" }
        guard ["<?xml", "<!DOCTYPE plist", "<plist", "<!--"].contains(where: { start.hasPrefix($0) }) else {
            problems.report(
                .syntax,
                bytes.isEmpty ? "is empty" : "is neither an XML property list in UTF-8 nor a binary one",
                remedy: "save it as a property list, or write a YAML manifest and name it .yaml"
            )
            return nil
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            problems.report(.notText, "is not UTF-8 text", remedy: "save it as UTF-8")
            return nil
        }
        do {
            let value = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
            if let root = value as? [String: Any] {
                for repeated in PropertyListKeys(of: bytes).repeated {
                    report(repeated.key, at: repeated.position, to: problems)
                }
                return .xml(root)
            }
            problems.report(.wrongType, "contains no dictionary at its root", remedy: "start it with <plist><dict>")
        } catch {
            let details = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "it cannot be parsed"
            problems.report(
                .syntax,
                position: line(in: details).map { TextPosition(line: $0, column: 1) },
                "is not a property list: \(details.inQuotes)",
                remedy: "correct it, or write a YAML manifest"
            )
        }
        return nil
    }

    // Reports a repeated key: the parsers use one of the values without a warning.
    private static func report(_ key: String, at position: TextPosition?, to problems: ProblemCollector) {
        problems.report(
            .duplicateKey,
            key: key,
            position: position,
            "occurs more than once in the root dictionary",
            remedy: "remove all but one"
        )
    }

    private static func line(in details: String) -> Int? {
        details.firstMatch(of: /line (\d+)/).flatMap { Int($0.1) }
    }

    /// Reports each key of the root that begins with the prefix and is not in `known`, or has a value that cannot be
    /// read.
    func reportUnknownKeys(withPrefix prefix: String, known: [String]) {
        let keys =
            switch root {
            case .xml(let values): values.keys.filter { $0.hasPrefix(prefix) }.sorted()
            case .binary(let list): list.keys(withPrefix: prefix)
            }
        // A binary list may have a known key in an encoding in which no value is read.
        for key in keys where !known.contains(key) || !holds(key) {
            problems.report(
                .unknownKey,
                key: key,
                "is not a known key",
                remedy: (NearestWord.to(key, among: known).map { "write \"\($0)\"" } ?? "remove it")
                    + ", or upgrade bgtaskd if a later release has it"
            )
        }
    }

    // MARK: Values

    func holds(_ key: String) -> Bool { value(key) != nil }

    func requiredString(_ key: String, remedy: String) -> Field<String>? {
        if !holds(key) { problems.report(.missingKey, key: key, "is missing", remedy: remedy) }
        return string(key)
    }

    func string(_ key: String) -> Field<String>? { value(key).flatMap { string($0, key: key) } }

    func strings(_ key: String) -> Field<[Field<String>]>? {
        guard let value = value(key) else { return nil }
        guard case .array(let items) = value else {
            problems.report(.wrongType, key: key, "is not an array", remedy: "make it an array of strings")
            return nil
        }
        let texts = items.enumerated().compactMap { string($1, key: "\(key)[\($0)]") }
        return Field(texts, key: key, position: nil)
    }

    func boolean(_ key: String) -> Field<Bool>? {
        guard let value = value(key) else { return nil }
        guard case .boolean(let flag) = value else {
            problems.report(.wrongType, key: key, "is neither true nor false", remedy: "make it a boolean")
            return nil
        }
        return Field(flag, key: key, position: nil)
    }

    private func value(_ key: String) -> PropertyListValue? {
        switch root {
        case .xml(let values): values[key].map(Self.value)
        case .binary(let list): list.value(for: key)
        }
    }

    private static func value(_ value: Any) -> PropertyListValue {
        if let text = value as? String { return .string(text) }
        if let number = value as? NSNumber, number.objCType.pointee == CChar(UInt8(ascii: "c")) {
            return .boolean(number.boolValue)
        }
        return (value as? [Any]).map { items in .array(items.map { ($0 as? String).map { .string($0) } ?? .other }) }
            ?? .other
    }

    private func string(_ value: PropertyListValue, key: String) -> Field<String>? {
        guard case .string(let text) = value, !text.utf8.contains(0) else {
            problems.report(.wrongType, key: key, "is not a string", remedy: "make it a string")
            return nil
        }
        return Field(text, key: key, position: nil)
    }
}
