// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A running host notices installed, changed and removed plugins")
struct CatalogueChangeTests {
    private static let obedient = TestPlugin("Obedient")

    @Test func `a plugin added while the host runs receives the started event and runs tasks`() async throws {
        try await HostFixture.with(plugins: []) { host in
            try await host.install(.neighbour)
            let installed = try await host.waitForJournal("its arrival") { $0.event == "plugin-installed" }
            #expect(installed.plugin == TestPlugin.neighbour.identifier)
            #expect(try await host.started(.neighbour).event == "succeeded")
            try await host.runNeighbour()
        }
    }

    @Test func `a plugin whose manifest arrives first is refused until its library arrives, and then installed`()
        async throws
    {
        try await HostFixture.with(plugins: []) { host in
            let plugin = TestPlugin.neighbour
            try host.directory.write(plugin.manifest.utf8, to: plugin.manifestFile)
            try await host.waitForLog("the refusal") { $0.contains("manifest refused") }
            let problem = try #require(try await host.client.plugins().refused.first?.problems.first)
            #expect(problem.key == "library" && problem.message.contains("libNeighbour.so"))
            try await host.install(plugin)
            try await host.runWhenInstalled()
        }
    }

    @Test(.proves("C11"))
    func `a plugin whose library is replaced gets another started event, and the host lists the new library`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let before = try await host.show(.neighbour).libraryDigest
            let end = try await host.journalEnd()
            var rebuilt = TestPlugin.neighbour
            rebuilt.library = .compiled("Neighbour", flags: ["-Wl,--build-id=0x6267746173"])
            try await host.install(rebuilt)
            let changed = try await host.waitForJournal("the change", after: end) { $0.event == "plugin-changed" }
            #expect(try await host.started(.neighbour, after: changed.number).event == "succeeded")
            #expect(try await host.show(.neighbour).libraryDigest != before)
            try await host.runNeighbour()
        }
    }

    @Test func `a manifest that changes while the host runs applies to later submissions`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            var changed = TestPlugin.neighbour
            changed.modes = ["fetch"]
            try await host.change(to: changed)
            await #expect(throws: ControlError.self) { try await host.submit(changed.task()) }
            #expect(try await host.outcome(of: try await host.submit(changed.task(), .refresh)).event == "succeeded")
        }
    }

    @Test(.proves("C17")) func `a removed plugin keeps its pending requests, and they run after it is installed again`()
        async throws
    {
        try await HostFixture.with(HostSetup(["network": "false"])) { host in
            try await host.started(.neighbour)
            let task = TestPlugin.neighbour.task()
            let submission = try await host.submit(task, requiresNetwork: true)
            let end = try await host.journalEnd()
            try host.directory.remove(TestPlugin.neighbour.manifestFile)
            let removed = try await host.waitForJournal("its removal", after: end) { $0.event == "plugin-removed" }
            await #expect(throws: ControlError.self) { try await host.submit(task) }
            #expect(try await host.client.plugins().plugins.isEmpty)

            try await host.stop()
            try await host.restart(with: ["network": "true"])
            #expect(try await host.client.tasks().pending.map(\.submission) == [submission])
            try await host.install(.neighbour)
            try await host.waitForJournal("its return", after: removed.number) { $0.event == "plugin-installed" }
            #expect(try await host.outcome(of: submission).event == "succeeded")
        }
    }

    @Test
    func `the installation of a hundred plugins takes fewer than 30 catalogue reads, while another plugin runs`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let library = try await TestPlugin("Plain").libraryBytes()
            try host.directory.write(library, to: "plugins/libPlain.so")
            for number in 0..<100 {
                let manifest = """
                    manifest: 1
                    identifier: com.example.p\(number)
                    library: libPlain.so
                    background-modes: [processing]
                    permitted-identifiers: [com.example.p\(number).run]
                    handlers: [{ identifier: com.example.p\(number).run, symbol: plain_stay, arguments: [], returns: void }]

                    """
                try host.directory.write(manifest.utf8, to: "manifests/p\(number).yaml")
            }
            try await host.runNeighbour()
            // The last manifest that was written: the catalogue read that finds it also finds the others.
            try await host.waitForJournal("the last arrival") {
                $0.event == "plugin-installed" && $0.plugin == "com.example.p99"
            }
            let arrivals = try await host.journal().filter { $0.event == "plugin-installed" }
            #expect(arrivals.count == 101)
            // All plugins that one catalogue read finds are journaled with the same time.
            let readings = Set(arrivals.map(\.at))
            #expect(readings.count < 30, "\(readings.count) readings")
            #expect(try await host.client.plugins().plugins.count == 101)
        }
    }

    @Test func `a plugin whose manifest becomes invalid while the host runs is refused until the manifest is repaired`()
        async throws
    {
        try await HostFixture.with(plugins: [.neighbour, Self.obedient]) { host in
            try await host.started(Self.obedient)
            try await host.submit(Self.obedient.task(), earliestBegin: HostFixture.tomorrow)
            let broken = Self.obedient.manifest.replacing("role: main", with: "role: chief")
            try host.directory.write(broken.utf8, to: Self.obedient.manifestFile)
            try await host.waitForLog("the refusal") { $0.contains("manifest refused") && $0.contains("chief") }
            let list = try await host.client.plugins()
            #expect(list.refused.map(\.identifier) == [Self.obedient.identifier])
            #expect(list.refused.first?.problems.first?.line == 5)
            let refused = try await host.waitForJournal("the refusal") { $0.event == "plugin-refused" }
            #expect(refused.plugin == Self.obedient.identifier && refused.message.contains("chief"))
            #expect(try await host.why(Self.obedient.task()).reasons.first?.code == "plugin-refused")
            try await host.runNeighbour()

            try host.directory.write("no: [".utf8, to: Self.obedient.manifestFile)
            try await host.waitForLog("the next refusal") { $0.contains("manifest refused") && $0.contains(":1:") }
            #expect(try await host.why(Self.obedient.task()).reasons.first?.code == "plugin-refused")

            let end = try await host.journalEnd()
            try host.directory.write(Self.obedient.manifest.utf8, to: Self.obedient.manifestFile)
            try await host.waitForJournal("its return", after: end) { $0.event == "plugin-changed" }
            #expect(try await host.client.plugins().refused.isEmpty)
        }
    }

    @Test func `a new plugin with a taken task identifier is refused with the name of the identifier's owner`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let thief = """
                manifest: 1
                identifier: com.example.thief
                library: libNeighbour.so
                background-modes: [processing]
                permitted-identifiers: [\(TestPlugin.neighbour.task())]

                """
            // This file sorts before the other one: the earlier installation decides, not the order of names.
            try host.directory.write(thief.utf8, to: "manifests/Aaa.yaml")
            let line = try await host.waitForLog("the refusal") { $0.contains("manifest refused") }
            #expect(line.contains(TestPlugin.neighbour.identifier) && line.contains("Aaa.yaml"))
            let refusal = try await host.waitForJournal("the refusal") { $0.event == "plugin-refused" }
            #expect(refusal.plugin == "com.example.thief" && refusal.message.contains("Aaa.yaml:5"), "\(refusal)")
            #expect(refusal.message.contains("\(TestPlugin.neighbour.identifier)") && refusal.message.contains("; "))
            try await host.runNeighbour()
            try await host.stop()
            try await host.restart()
            #expect(try await host.client.plugins().plugins.map(\.identifier) == [TestPlugin.neighbour.identifier])
        }
    }

    @Test func `the operator's manifest of a plugin hides a package's manifest until the operator's is removed`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let package = TestPlugin.neighbour.manifest.replacing("version: 1.0.0", with: "version: 9.0.0")
            try host.directory.write(package.utf8, to: "packages/Neighbour.yaml")
            try await host.waitForLog("the note") { $0.contains("packages/Neighbour.yaml") }
            #expect(try await host.client.plugins().plugins.map(\.version) == ["1.0.0"])

            let end = try await host.journalEnd()
            try host.directory.remove(TestPlugin.neighbour.manifestFile)
            try await host.waitForJournal("the package's turn", after: end) { $0.event == "plugin-changed" }
            #expect(try await host.client.plugins().plugins.map(\.version) == ["9.0.0"])
        }
    }

    @Test func `a manifest directory created after the host's start is read`() async throws {
        try await HostFixture.with(plugins: []) { host in
            let later = host.directory.file("later/manifests")
            try await host.stop()
            try await host.restart(with: ["package-manifests": later])
            try host.directory.makeDirectory("later/manifests")
            try host.directory.write(
                try await PluginCompiler.library("Neighbour"),
                to: TestPlugin.neighbour.libraryFile
            )
            try host.directory.write(TestPlugin.neighbour.manifest.utf8, to: "later/manifests/Neighbour.yaml")
            try await host.runWhenInstalled()
        }
    }

    @Test
    func `the plugin-installed entry names a plugin by its identifier when the manifest has neither name nor version`()
        async throws
    {
        try await HostFixture.with(plugins: []) { host in
            let plugin = TestPlugin.neighbour
            let lines = plugin.manifest.split(separator: "\n")
            let terse = lines.filter { !$0.contains("name:") && !$0.contains("version:") }
            try host.directory.write(try await PluginCompiler.library("Neighbour"), to: plugin.libraryFile)
            try host.directory.write((terse.joined(separator: "\n") + "\n").utf8, to: plugin.manifestFile)
            let installed = try await host.waitForJournal("its arrival") { $0.event == "plugin-installed" }
            #expect(installed.message.hasPrefix("\(plugin.identifier), manifest "))
        }
    }

    @Test func `a property list with the keys of Apple's system is a valid manifest`() async throws {
        try await HostFixture.with(plugins: []) { host in
            let list = """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>
                <key>CFBundleIdentifier</key><string>com.example.neighbour</string>
                <key>CFBundleExecutable</key><string>Neighbour</string>
                <key>CFBundleShortVersionString</key><string>2.1</string>
                <key>UIBackgroundModes</key><array><string>processing</string><string>audio</string></array>
                <key>BGTaskSchedulerPermittedIdentifiers</key><array><string>com.example.neighbour.task</string></array>
                </dict></plist>
                """
            try host.directory.write(try await PluginCompiler.library("Neighbour"), to: "plugins/libNeighbour.so")
            try host.directory.write(list.utf8, to: "manifests/Info.plist")
            try await host.runWhenInstalled()
            let notes = try await host.show(.neighbour).notes
            #expect(notes.contains { $0.message.contains("audio") })
        }
    }
}

extension HostFixture {
    fileprivate func runWhenInstalled() async throws {
        try await waitForJournal("its arrival") { $0.event == "plugin-installed" }
        try await runNeighbour()
    }
}
