// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginCatalog
import TaskModel
import Testing

@Suite("Of two manifests that claim the same, one counts and the other is told why not")
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

    @Test func `the operator's folder wins over the packages', with a note`() throws {
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

    @Test func `a broken manifest of the operator's does not hide the package's`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "rolle: main")
            let theirs = try workshop.installManifest("packages/a.yaml", identifier: "com.example.a")
            let contents = workshop.load()
            #expect(contents.entries.map(\.manifestPath) == [theirs])
            #expect(contents.refused.count == 1)
        }
    }

    @Test func `of newcomers in one folder the first file name stays`() throws {
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

    @Test func `the catalogued manifest stays although a newcomer's name comes first`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let old = try workshop.installManifest("operator/b.yaml", identifier: "com.example.a")
            let contents = workshop.load(known: [try known("com.example.a", old)])
            #expect(contents.entries.map(\.manifestPath) == [old])
        }
    }

    @Test func `a task identifier stays with the plugin that had it (21)`() throws {
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

    @Test func `a catalogued plugin that adds another's identifier is the newcomer for it`() throws {
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

    @Test func `of newcomers that permit the same the first file name stays`() throws {
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

    @Test func `who is refused refuses nobody`() throws {
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

    @Test func `a pattern claims what it covers (10, 21)`() throws {
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

@Suite("An extension needs a main plugin that lists it")
struct ExtensionTests {
    private let keyboard = "role: extension\ncontaining-plugin: com.example.feed"

    @Test func `a listed extension belongs to its main plugin`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest(
                "operator/feed.yaml",
                identifier: "com.example.feed",
                "extensions: [com.example.keyboard]"
            )
            try workshop.installManifest("packages/keyboard.yaml", identifier: "com.example.keyboard", keyboard)
            let contents = workshop.load()
            #expect(contents.refused.isEmpty)
            #expect(contents.entries.map(\.containingPlugin?.text) == [nil, "com.example.feed"])
            #expect(contents.entries[0].extensions.map(\.text) == ["com.example.keyboard"])
        }
    }

    @Test func `the operator may list it instead`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/feed.yaml", identifier: "com.example.feed")
            try workshop.installManifest("operator/keyboard.yaml", identifier: "com.example.keyboard", keyboard)
            let main = try #require(PluginIdentifier("com.example.feed"))
            let child = try #require(PluginIdentifier("com.example.keyboard"))
            let contents = workshop.load(operatorExtensions: [main: [child]])
            #expect(contents.entries.map(\.containingPlugin) == [nil, main])
            #expect(contents.entry(for: main)?.extensions == [child])
        }
    }

    @Test func `one that is not listed is refused, naming the file that should list it`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let main = try workshop.installManifest("operator/feed.yaml", identifier: "com.example.feed")
            try workshop.installManifest("operator/keyboard.yaml", identifier: "com.example.keyboard", keyboard)
            let contents = workshop.load()
            #expect(contents.entries.map(\.identifier.text) == ["com.example.feed"])
            let problem = contents.refused.first?.problems.first
            #expect(problem?.short == "5 containing-plugin extension-not-listed")
            #expect(problem?.remedy.contains(main) == true)
        }
    }

    @Test func `one whose main plugin is missing, broken or an extension is refused`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/keyboard.yaml", identifier: "com.example.keyboard", keyboard)
            #expect(workshop.load().refused.first?.problems.map(\.short) == ["5 containing-plugin main-plugin-missing"])

            try workshop.installManifest("operator/feed.yaml", identifier: "com.example.feed", "rolle: main")
            #expect(workshop.load().refused.map(\.identifier?.text) == ["com.example.feed", "com.example.keyboard"])

            try workshop.installManifest(
                "operator/feed.yaml",
                identifier: "com.example.feed",
                "role: extension\ncontaining-plugin: com.example.keyboard"
            )
            let messages = workshop.load().refused.map { $0.problems.first?.message ?? "" }
            #expect(messages.count == 2)
            #expect(messages.allSatisfy { $0.contains("which is ") })
        }
    }

    @Test func `a property list's extension belongs to the longest identifier that it begins with`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let lists = "extensions: [com.example.feed.ui.keyboard]"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example", lists)
            try workshop.installManifest("operator/b.yaml", identifier: "com.example.feed", lists)
            try workshop.write(
                "<plist><dict><key>CFBundleIdentifier</key><string>com.example.feed.ui.keyboard</string>"
                    + "<key>CFBundleExecutable</key><string>Feed</string><key>NSExtension</key><dict/></dict></plist>",
                "operator/Info.plist"
            )
            let contents = workshop.load()
            #expect(contents.refused.isEmpty)
            #expect(contents.entries.last?.containingPlugin?.text == "com.example.feed")

            unlink(workshop.path("operator/a.yaml"))
            unlink(workshop.path("operator/b.yaml"))
            #expect(
                workshop.load().refused.first?.problems.map(\.short) == ["- CFBundleIdentifier main-plugin-missing"]
            )
        }
    }

    @Test func `a property list's extension belongs to the main plugin that the operator lists it under`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let main = try #require(PluginIdentifier("org.other.reader"))
            let child = try #require(PluginIdentifier("com.example.feed.keyboard"))
            let lists = "extensions: [com.example.feed.keyboard]"
            try workshop.installManifest("operator/a.yaml", identifier: main.text)
            try workshop.installManifest("operator/b.yaml", identifier: "com.example.feed", lists)
            try workshop.write(
                "<plist><dict><key>CFBundleIdentifier</key><string>com.example.feed.keyboard</string>"
                    + "<key>CFBundleExecutable</key><string>Feed</string><key>NSExtension</key><dict/></dict></plist>",
                "operator/Info.plist"
            )
            #expect(workshop.load().entry(for: child)?.containingPlugin?.text == "com.example.feed")
            let contents = workshop.load(operatorExtensions: [main: [child]])
            #expect(contents.entry(for: child)?.containingPlugin == main)
            #expect(contents.entry(for: main)?.extensions == [child])

            unlink(workshop.path("operator/a.yaml"))
            unlink(workshop.path("operator/b.yaml"))
            let refused = workshop.load(operatorExtensions: [main: [child]]).refused.first?.problems.first
            #expect(refused?.remedy.contains("plugins.MAIN.extensions") == true)
        }
    }
}
