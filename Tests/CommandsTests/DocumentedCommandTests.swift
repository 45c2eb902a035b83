// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import HostConfiguration
import Testing

@testable import Commands

@Suite("The commands of the documentation are commands of the programs")
struct DocumentedCommandTests {
    @Test func `each command line of a documentation code block is parsed with its options`() throws {
        let lines = try DocumentedCommand.lines()
        #expect(lines.count > 50)
        for line in lines {
            #expect(throws: Never.self, "\(line)") { try DocumentedCommand.parse(line.words) }
        }
    }

    @Test func `each command that a sentence of the documentation names exists`() throws {
        let spans = try DocumentedCommand.spans()
        #expect(spans.count > 30)
        for span in spans { #expect(DocumentedCommand.unknownWord(in: span.words) == nil, "\(span)") }
    }

    @Test func `each command of the recipes for operators is parsed with its options`() throws {
        let recipes = try DocumentedCommand.spans().filter { $0.page == "Documentation/Recipes.md" }
        #expect(recipes.count > 40)
        for recipe in recipes {
            #expect(throws: Never.self, "\(recipe)") { try DocumentedCommand.parse(recipe.words) }
        }
    }

    @Test(arguments: [
        ["task", "why", "a.b"], ["plugin", "list", "--colour"], ["run"], ["host", "run", "--plugin-path", "/a"],
    ])
    func `the documentation check reports a command line whose command or option does not exist`(words: [String]) {
        #expect(throws: (any Error).self) { try DocumentedCommand.parse(words) }
    }

    @Test func `the documentation check reports a command noun without the named verb`() {
        #expect(DocumentedCommand.unknownWord(in: ["task", "why", "ID"]) == "why")
        #expect(DocumentedCommand.unknownWord(in: ["simulate", "launch"]) == "launch")
        #expect(DocumentedCommand.unknownWord(in: ["why", "ID"]) == nil)
    }
}

/// One command in a documentation page, without the name of the program.
private struct DocumentedCommand: CustomStringConvertible {
    let page: String
    let words: [String]

    var description: String { "\(page): bgtask \(words.joined(separator: " "))" }

    static func parse(_ words: [String]) throws {
        if words.starts(with: ["host", "run"]) {
            _ = try HostFlags.parse(words.dropFirst(2).filter { $0 != "--" })
        } else {
            _ = try BgtaskCommand.parseAsRoot(try Invocation(words).command)
        }
    }

    /// The first word in the place of a command that names no command; nil when there is no such word.
    static func unknownWord(in words: [String]) -> String? {
        var command: any ParsableCommand.Type = BgtaskCommand.self
        // The host of another machine comes before the command.
        let words = words.first == "-H" ? words.dropFirst(2) : words[...]
        for word in words where !word.hasPrefix("-") {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty else { return nil }
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else { return word }
            command = next
        }
        return nil
    }

    /// The commands in indented lines that begin with `bgtask`, and in lines after a prompt.
    static func lines() throws -> [DocumentedCommand] {
        try pages().flatMap { page, text in
            text.replacing(/```mermaid.*?```/.dotMatchesNewlines(), with: "").replacing("\\\n", with: " ").matches(
                of: /^(?:\ {4}|\$ )bgtask (.*)$/.anchorsMatchLineEndings()
            )
            .map { DocumentedCommand(page: page, words: words(of: String($0.1))) }
        }
    }

    /// The commands between backticks: `bgtask ...`.
    static func spans() throws -> [DocumentedCommand] {
        try pages().flatMap { page, text in
            text.matches(of: /`bgtask ([^`]+)`/).map { DocumentedCommand(page: page, words: words(of: String($0.1))) }
        }
    }

    private static func pages() throws -> [(String, String)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let articles = "SDK/Sources/BackgroundTasks/BackgroundTasks.docc/Articles"
        let inside = try ["Documentation", articles].flatMap { directory in
            try FileManager.default.contentsOfDirectory(atPath: root.appending(path: directory).path).sorted()
                .map { "\(directory)/\($0)" }
        }
        return try (["README.md", "SECURITY.md", "CHANGELOG.md"] + inside).filter { $0.hasSuffix(".md") }
            .map { ($0, try String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
    }

    /// The words of a command line, split as by a shell, up to a comment, a pipe or a redirection. Optional parts are
    /// included. The placeholders ID, TASK, IDENTIFIER, NUMBER and MANIFEST become a value; an ellipsis at the end of a
    /// word is removed.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch character {
            case quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil: (quote, word) = (character, word ?? "")
            case " " where quote == nil:
                if let word { words.append(word) }
                word = nil
            case "[" where quote == nil, "]" where quote == nil: break
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words.prefix { !["#", "|", ">"].contains($0) }.map { word in
            let name = word.hasSuffix("...") ? String(word.dropLast(3)) : word
            return switch name {
            case "NUMBER": "41"
            case "MANIFEST": "feed.yaml"
            case "ID", "TASK", "IDENTIFIER": "com.example.name"
            default: name
            }
        }
    }
}
