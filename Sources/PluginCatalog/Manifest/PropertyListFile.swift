// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import PluginBinary

/// The root dictionary of an XML or binary property list. Looks at no key that it is not asked for.
struct PropertyListFile {
    private let root: [String: Any]
    private let problems: ProblemCollector

    /// Nil after a problem was reported.
    init?(bytes: [UInt8], problems: ProblemCollector) {
        self.problems = problems
        guard Self.isReadable(bytes, problems: problems) else { return nil }
        do {
            let value = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
            guard let root = value as? [String: Any] else {
                problems.report(.wrongType, "holds no dictionary at its root", remedy: "start it with <plist><dict>")
                return nil
            }
            self.root = root
        } catch {
            let details = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "it cannot be parsed"
            problems.report(
                .syntax,
                position: Self.line(in: details).map { TextPosition(line: $0, column: 1) },
                "is not a property list: \(details.inQuotes)",
                remedy: "correct it, or write a YAML manifest"
            )
            return nil
        }
    }

    private static func isReadable(_ bytes: [UInt8], problems: ProblemCollector) -> Bool {
        if bytes.starts(with: Array("bplist".utf8)) {
            if BinaryPropertyListGuard.isBounded(bytes) { return true }
            problems.report(
                .syntax,
                "is a damaged binary property list, or one whose parts contain each other",
                remedy: "write it again, or write a YAML manifest"
            )
            return false
        }
        // The parser also takes an older format for one, in which any word is a property list.
        let start = String(decoding: bytes.prefix(512), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{feff}" }
        guard ["<?xml", "<!DOCTYPE plist", "<plist", "<!--"].contains(where: { start.hasPrefix($0) }) else {
            problems.report(
                .syntax,
                bytes.isEmpty ? "holds nothing" : "is neither an XML nor a binary property list",
                remedy: "save it as one, or write a YAML manifest and name it .yaml"
            )
            return false
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            problems.report(.notText, "is not UTF-8 text", remedy: "save it as UTF-8")
            return false
        }
        return true
    }

    private static func line(in details: String) -> Int? {
        details.firstMatch(of: /line (\d+)/).flatMap { Int($0.1) }
    }

    // MARK: Values

    func holds(_ key: String) -> Bool { root[key] != nil }

    func requiredString(_ key: String, remedy: String) -> Field<String>? {
        if !holds(key) { problems.report(.missingKey, key: key, "is missing", remedy: remedy) }
        return string(key)
    }

    func string(_ key: String) -> Field<String>? { root[key].flatMap { string($0, key: key) } }

    func strings(_ key: String) -> Field<[Field<String>]>? {
        guard let value = root[key] else { return nil }
        guard let items = value as? [Any] else {
            problems.report(.wrongType, key: key, "is not an array", remedy: "make it an array of strings")
            return nil
        }
        let texts = items.enumerated().compactMap { string($1, key: "\(key)[\($0)]") }
        return Field(texts, key: key, position: nil)
    }

    private func string(_ value: Any, key: String) -> Field<String>? {
        guard let text = value as? String, !text.utf8.contains(0) else {
            problems.report(.wrongType, key: key, "is not a string", remedy: "make it a string")
            return nil
        }
        return Field(text, key: key, position: nil)
    }
}
