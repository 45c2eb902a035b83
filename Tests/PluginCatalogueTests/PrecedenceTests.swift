// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import PluginCatalogue
import StatementTraits
import TaskModel
import Testing

@Suite("Of two manifests that claim the same identifier one stays, and the other is refused with the reason")
struct PrecedenceTests {
    private func known(_ identifier: String, _ path: String, _ permitted: [String] = []) throws -> KnownPlugin {
        KnownPlugin(
            identifier: try #require(PluginIdentifier(identifier)),
            manifestPath: path,
            manifestDigest: "",
            libraryDigest: "",
            permitted: permitted.compactMap { PermittedIdentifier($0) }
        )
    }

    @Test func `the operator's manifest takes precedence over a package's, with a note`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let mine = try workshop.installManifest("operator/z.yaml", identifier: "com.example.a")
            let theirs = try workshop.installManifest("packages/a.yaml", identifier: "com.example.a")
            let contents = workshop.load(known: [try known("com.example.a", theirs)])
            #expect(contents.entries.map(\.manifestPath) == [mine])
            #expect(contents.refused.isEmpty)
            #expect(contents.notes.map(\.short) == ["2 identifier shadowed"])
            #expect(contents.notes.first?.file == theirs)
            #expect(contents.notes.first?.message.contains(mine) == true)
        }
    }

    @Test func `a broken manifest of the operator does not hide a package's manifest of the same plugin`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "rolle: main")
            let theirs = try workshop.installManifest("packages/a.yaml", identifier: "com.example.a")
            let contents = workshop.load()
            #expect(contents.entries.map(\.manifestPath) == [theirs])
            #expect(contents.refused.count == 1)
        }
    }

    @Test func `of two new manifests with one identifier the one with the first file name stays`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let first = try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let second = try workshop.installManifest("operator/b.yaml", identifier: "com.example.a")
            let contents = workshop.load()
            #expect(contents.entries.map(\.manifestPath) == [first])
            #expect(contents.refused.map(\.file) == [second])
            #expect(contents.refused.first?.problems.map(\.short) == ["2 identifier identifier-taken"])
            #expect(contents.refused.first?.problems.first?.message.contains(first) == true)
        }
    }

    @Test func `a catalogued manifest stays although a new manifest of its plugin has the first file name`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let old = try workshop.installManifest("operator/b.yaml", identifier: "com.example.a")
            let contents = workshop.load(known: [try known("com.example.a", old)])
            #expect(contents.entries.map(\.manifestPath) == [old])
        }
    }

    @Test(.proves(21)) func `a task identifier stays with the plugin that was catalogued with it`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let newcomer = try workshop.installManifest(
                "operator/a.yaml",
                identifier: "com.example.new",
                "permitted-identifiers: [org.shared.task]"
            )
            let owner = try workshop.installManifest(
                "packages/z.yaml",
                identifier: "com.example.old",
                "permitted-identifiers: [org.shared.task]"
            )
            let contents = workshop.load(known: [try known("com.example.old", owner, ["org.shared.task"])])
            #expect(contents.entries.map(\.identifier.text) == ["com.example.old"])
            #expect(contents.refused.map(\.file) == [newcomer])
            let problem = contents.refused.first?.problems.first
            #expect(problem?.short == "4 permitted-identifiers[0] task-identifier-taken")
            #expect(problem?.message.contains("\"com.example.old\"") == true)
            #expect(problem?.message.contains(owner) == true)
        }
    }

    @Test func `a catalogued plugin that adds another plugin's task identifier is refused`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let greedy = try workshop.installManifest(
                "operator/a.yaml",
                identifier: "com.example.a",
                "permitted-identifiers: [com.example.a.task, org.shared.task]"
            )
            let owner = try workshop.installManifest(
                "operator/b.yaml",
                identifier: "com.example.b",
                "permitted-identifiers: [org.shared.task]"
            )
            let contents = workshop.load(known: [
                try known("com.example.a", greedy, ["com.example.a.task"]),
                try known("com.example.b", owner, ["org.shared.task"]),
            ])
            #expect(contents.entries.map(\.identifier.text) == ["com.example.b"])
            #expect(contents.refused.first?.problems.map(\.key) == ["permitted-identifiers[1]"])
        }
    }

    @Test func `of new plugins with the same task identifier the one with the first file name stays`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            for (file, name) in [("packages/a.yaml", "z"), ("operator/b.yaml", "y"), ("operator/c.yaml", "x")] {
                try workshop.installManifest(
                    file,
                    identifier: "com.example.\(name)",
                    "permitted-identifiers: [org.shared.task]"
                )
            }
            let contents = workshop.load()
            #expect(contents.entries.map(\.identifier.text) == ["com.example.z"])
            #expect(contents.refused.map(\.identifier?.text) == ["com.example.y", "com.example.x"])
        }
    }

    @Test func `an identifier with one label has one owner among the plugins of a host`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            for (file, name) in [("operator/a.yaml", "a"), ("operator/b.yaml", "b")] {
                try workshop.installManifest(
                    file,
                    identifier: "com.example.\(name)",
                    "permitted-identifiers: [refresh]"
                )
            }
            let contents = workshop.load()
            #expect(contents.entries.map(\.identifier.text) == ["com.example.a"])
            let problem = contents.refused.first?.problems.first { $0.severity == .error }
            #expect(problem?.rule == .taskIdentifierTaken && problem?.key == "permitted-identifiers[0]")
        }
    }

    @Test func `a refused manifest causes no refusal of other manifests`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest(
                "operator/a.yaml",
                identifier: "com.example.a",
                "permitted-identifiers: [org.one.x]"
            )
            try workshop.installManifest(
                "operator/b.yaml",
                identifier: "com.example.b",
                "permitted-identifiers: [org.one.x, org.two.x]"
            )
            try workshop.installManifest(
                "operator/c.yaml",
                identifier: "com.example.c",
                "permitted-identifiers: [org.two.x]"
            )
            let contents = workshop.load()
            #expect(contents.entries.map(\.identifier.text) == ["com.example.a", "com.example.c"])
        }
    }

    @Test func `of 300 plugins with the same ten task identifiers the one catalogued with them stays`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let tasks = (0..<10).map { "org.shared.task\($0)" }
            for number in 1...300 {
                try workshop.installManifest(
                    "operator/\(number).yaml",
                    identifier: "com.example.p\(number)",
                    "permitted-identifiers: [\(tasks.joined(separator: ", "))]"
                )
            }
            let owner = try known("com.example.p200", workshop.path("operator/200.yaml"), tasks)
            let others = try (1...300).filter { $0 != 200 }.map { try known("com.example.p\($0)", "/other") }
            let contents = CatalogueReader.load(workshop.directories, alreadyCatalogued: others + [owner])
            #expect(contents.entries.map(\.identifier.text) == ["com.example.p200"])
            #expect(contents.refused.count == 299)
        }
    }

    /// A plugin of the model. `lines` are its permitted identifiers, `held` those with which it was catalogued before;
    /// nil if it was not catalogued.
    private struct Rival {
        let lines: [PermittedIdentifier]
        let held: [PermittedIdentifier]?

        /// Whether an identifier that this plugin's manifest permits wins a conflict with an overlapping one of the
        /// other plugin.
        ///
        /// - Parameter isFirst: whether this plugin's file name comes first.
        func beats(_ other: Rival, isFirst: Bool) -> Bool {
            lines.contains { line in
                other.lines.filter(line.overlaps).contains { otherLine in
                    let (holds, otherHolds) = (held?.contains(line) == true, other.held?.contains(otherLine) == true)
                    if holds != otherHolds { return holds }
                    return (held != nil) == (other.held != nil) ? isFirst : held != nil
                }
            }
        }
    }

    /// The indices of the plugins that stay, by the rule pair by pair: a plugin that no undecided plugin beats stays,
    /// and all plugins that conflict with it are refused. If each undecided plugin is beaten, the first one stays;
    /// plugins that were catalogued before precede the others.
    private static func staying(of rivals: [Rival]) -> [Int] {
        var undecided = rivals.indices.sorted { left, right in
            let (isKnown, isOtherKnown) = (rivals[left].held != nil, rivals[right].held != nil)
            return isKnown == isOtherKnown ? left < right : isKnown
        }
        var staying: [Int] = []
        while let first = undecided.first {
            let winner =
                undecided.first { one in
                    !undecided.contains { $0 != one && rivals[$0].beats(rivals[one], isFirst: $0 < one) }
                } ?? first
            staying.append(winner)
            let lines = rivals[winner].lines
            undecided.removeAll { other in
                other == winner || rivals[other].lines.contains { line in lines.contains { $0.overlaps(line) } }
            }
        }
        return staying.sorted()
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `of random plugins exactly those selected by the pairwise precedence rule stay`(seed: UInt64) throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            var generator = SeededGenerator(seed: seed)
            let identifiers = ["org.a", "org.a.b", "org.a.b.c", "org.a.x", "org.d", "org.d.e", "org.d.e.f", "org.d.x"]
            let tasks = identifiers.map { $0 + ".task" }
            var rivals: [Rival] = []
            var history: [KnownPlugin] = []
            var files: [String] = []
            for (number, identifier) in identifiers.shuffled(using: &generator).enumerated() {
                var lines = Array(tasks.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)))
                if Bool.random(using: &generator) { lines.append(identifier + ".*") }
                let path = try workshop.installManifest(
                    "operator/\(number).yaml",
                    identifier: identifier,
                    "permitted-identifiers: [\(lines.joined(separator: ", "))]"
                )
                files.append(path)
                let held = lines.filter { _ in Bool.random(using: &generator) }
                let isKnown = Bool.random(using: &generator)
                if isKnown { history.append(try known(identifier, path, held)) }
                rivals.append(
                    Rival(
                        lines: lines.compactMap { PermittedIdentifier($0) },
                        held: isKnown ? held.compactMap { PermittedIdentifier($0) } : nil
                    )
                )
            }
            let contents = workshop.load(known: history)
            let wanted = Self.staying(of: rivals)
            #expect(contents.entries.map(\.manifestPath).sorted() == wanted.map { files[$0] })
            #expect(contents.refused.count == 8 - wanted.count)
        }
    }

    @Test(.proves(10, 21)) func `a pattern conflicts with the identifiers and patterns that it covers`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest(
                "operator/a.yaml",
                identifier: "com.example.a",
                "permitted-identifiers: [com.example.a.export.*]"
            )
            try workshop.installManifest(
                "operator/b.yaml",
                identifier: "com.example.b",
                "permitted-identifiers: [com.example.a.export.x]"
            )
            try workshop.installManifest(
                "operator/c.yaml",
                identifier: "com.example.c",
                "permitted-identifiers: [com.example.a.exported]"
            )
            try workshop.installManifest(
                "operator/d.yaml",
                identifier: "com.example.a.export",
                "permitted-identifiers: [com.example.a.export.more.*]"
            )
            let contents = workshop.load()
            #expect(contents.entries.map(\.identifier.text) == ["com.example.a", "com.example.c"])
            #expect(contents.refused.map(\.identifier?.text) == ["com.example.b", "com.example.a.export"])
        }
    }
}

extension PermittedIdentifier {
    /// Whether both permit at least one common identifier.
    fileprivate func overlaps(_ other: PermittedIdentifier) -> Bool {
        switch (self, other) {
        case (.exact(let left), .exact(let right)): left == right
        case (.exact(let name), .pattern): other.covers(name)
        case (.pattern, .exact(let name)): covers(name)
        case (.pattern(let left), .pattern(let right)):
            left == right || covers(right) || other.covers(left)
        }
    }
}
