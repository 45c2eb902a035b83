// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import PluginCatalogue
import StatementTraits
import TaskModel
import Testing

@Suite("An extension requires a main plugin that lists it")
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

    @Test func `an extension may be listed by the operator's configuration instead of its main plugin's manifest`()
        throws
    {
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

    @Test
    func `an extension that its main plugin does not list is refused, and the remedy names that plugin's manifest`()
        throws
    {
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

    @Test func `the refusal of an extension names the cause for which its main plugin is refused, and the remedy`()
        throws
    {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/keyboard.yaml", identifier: "com.example.keyboard", keyboard)
            let missing = workshop.load().refused.first?.problems.first
            #expect(missing?.message.hasSuffix("which is not installed") == true)
            try workshop.installManifest("operator/feed.yaml", identifier: "com.example.feed", "rolle: main")
            let refused = workshop.load().refused
            let cause = try #require(refused.first?.problems.first)
            let problem = try #require(refused.last?.problems.first)
            #expect(problem.message.contains("which is refused: \(cause.file): rolle: \(cause.message)"))
            #expect(problem.remedy == cause.remedy)
        }
    }

    @Test func `an extension whose main plugin is missing, broken or itself an extension is refused`() throws {
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

    @Test func `a property list's extension belongs to the plugin with the longest matching identifier prefix`() throws
    {
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

    @Test func `the operator's configuration overrides the main plugin of a property list's extension`() throws {
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
