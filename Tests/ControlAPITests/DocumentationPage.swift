// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// A reference page of `Documentation`. Each entry is a table row that begins with an anchor.
struct DocumentationPage {
    /// The cells of each row, by anchor. The first one is the rest of the anchor's own cell.
    let entries: [String: [String]]

    init(_ name: String) throws {
        let row = /^\| <a id="([^"]+)"><\/a>(.*) \|$/.anchorsMatchLineEndings()
        let rows = try Repository.text(of: "Documentation/\(name).md").matches(of: row).map { match in
            let cells = match.2.split(separator: " | ", omittingEmptySubsequences: false)
            return (String(match.1), cells.map(String.init))
        }
        entries = Dictionary(rows) { first, _ in first }
    }

    /// The anchors that begin with the prefix, without the prefix.
    func names(after prefix: String) -> Set<String> {
        Set(entries.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) })
    }

    /// The anchors of rows with an empty cell, or with no cell beside the name, sorted.
    var incomplete: [String] {
        entries.filter { $0.value.count < 2 || $0.value.contains { $0.trimmingCharacters(in: .whitespaces).isEmpty } }
            .map(\.key).sorted()
    }
}

/// Reads files of the source checkout from which the tests were built.
enum Repository {
    static func text(of path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The quoted first arguments of calls in the files: the keys that a reader reads from a YAML mapping.
    static func keys(askedIn paths: [String]) throws -> Set<String> {
        let call = /\w\((?:of: |inList: )?"([a-z][a-z0-9-]*)"/
        return Set(try paths.flatMap { try text(of: $0).matches(of: call).map { String($0.1) } })
    }

    /// The names of an enumeration's cases in a source file: the last component of a raw value, otherwise the case's
    /// name with dashes.
    static func cases(of name: String, in path: String) throws -> Set<String> {
        let source = try text(of: path)
        let start = try #require(source.firstRange(of: "enum \(name):")?.upperBound)
        let body = source[start...].prefix { $0 != "}" }
        return Set(
            body.matches(of: /\n    case (\w+)(?: = "(?:[a-z-]+\.)*([a-z0-9-]+)")?/).map { match in
                match.2.map(String.init) ?? dashed(String(match.1))
            }
        )
    }

    /// A Swift name with dashes: `external-power` for `externalPower`.
    static func dashed(_ name: String) -> String {
        name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
    }
}
