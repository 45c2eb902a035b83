// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@Suite("The choices of filters are those of the control API")
struct PageChoiceTests {
    private static let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: sources.appending(path: path), encoding: .utf8)
    }

    /// The words of an `enum` of a schema, which is on one line or a list with a word on each.
    private static func words(ofSchema name: String) throws -> [String] {
        let lines = try text("ControlAPI/openapi.yaml").split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("    \(name):") }, "no schema \(name)")
        let line = try #require(lines[start...].firstIndex { $0.contains("enum:") }, "the schema \(name) has no enum")
        if let list = lines[line].firstMatch(of: /enum: \[([^\]]*)\]/)?.1 {
            return list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return lines[(line + 1)...].prefix { $0.hasPrefix("        - ") }.map { String($0.dropFirst(10)) }
    }

    /// The texts in quotes of a constant list of a script.
    private static func words(of constant: String, in script: String) throws -> [String] {
        let text = try text("HostPage/Resources/\(script)")
        let start = try #require(text.range(of: "const \(constant) = ["), "\(script) has no \(constant)").upperBound
        let list = text[start...].prefix(while: { $0 != ";" })
        return list.matches(of: /"([a-z-]+)"/).map { String($0.1) }
    }

    @Test(arguments: [
        ("KINDS", "screen-now.js", "Kind"), ("BLAMES", "screen-journal.js", "Blame"),
        ("STATES", "screen-plugins.js", "PluginState"), ("STATES", "screen-transfers.js", "TransferState"),
    ])
    func `a filter has each value of its schema`(constant: String, script: String, schema: String) throws {
        #expect(try Set(Self.words(of: constant, in: script)) == Set(Self.words(ofSchema: schema)), "\(script)")
    }

    @Test func `each event of the journal is in one group of the filter`() throws {
        let titles: Set = ["launches", "submissions", "transfers", "plugins", "violations"]
        let events = try Self.words(of: "GROUPS", in: "screen-journal.js").filter { !titles.contains($0) }
        #expect(Set(events) == Set(try Self.words(ofSchema: "JournalEvent")))
        #expect(events.count == Set(events).count)
    }
}
