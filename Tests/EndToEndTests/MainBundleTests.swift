// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginCatalogue
import TaskModel
import Testing

@Suite("Bundle.main describes a plugin whose manifest requests a main bundle")
struct MainBundleTests {
    private static let lines = ["main-bundle: { ServerURL: https://example.com, LogsRequests: true }"]

    private static func plugin(_ mode: BuiltLibrary, _ lines: [String] = lines) -> TestPlugin {
        var plugin = TestPlugin.part("MainBundle", mode)
        plugin.manifestLines = lines
        return plugin
    }

    /// Runs the task of the plugin, and returns what `Bundle.main` described in its launch.
    private func notes(_ plugin: TestPlugin, in host: HostFixture) async throws -> [String] {
        let before = host.notes(plugin).count
        let end = try await host.run(plugin, "refresh", .refresh)
        #expect(end.event == "succeeded", "\(end)")
        return Array(host.notes(plugin).dropFirst(before))
    }

    @Test(arguments: [BuiltLibrary.swift5, .swift6])
    func `Bundle.main has identifier, version, own keys and pinned resources of the plugin, which cannot write it`(
        mode: BuiltLibrary
    ) async throws {
        var plugin = Self.plugin(mode)
        try await HostFixture.with { host in
            let library = try host.directory.write(try await plugin.libraryBytes(), to: plugin.libraryFile)
            let palette = try host.directory.write("red".utf8, to: "plugins/palette.txt")
            plugin.manifestLines += [
                "sha256: \(try LibraryDigest.of(path: library))",
                "files: { palette.txt: \(try LibraryDigest.of(path: palette)) }",
            ]
            try await host.install(plugin)
            #expect(
                try await notes(plugin, in: host) == [
                    "identifier com.example.colorfeed", "version 1.0.0", "server https://example.com", "logs true",
                    "palette red", "writes false",
                ]
            )
        }
    }

    @Test func `Bundle.main of a plugin in place does not find a resource that the manifest does not pin`() async throws
    {
        let plugin = Self.plugin(.swift6)
        try await HostFixture.with(plugins: [plugin]) { host in
            try host.directory.write("red".utf8, to: "plugins/palette.txt")
            #expect(try await notes(plugin, in: host).contains("palette none"))
        }
    }

    @Test func `Bundle.main of a plugin with a property list has the vendor's keys of the property list`() async throws
    {
        var plugin = Self.plugin(.swift6, [])
        // A property list has no settings.
        plugin.policy = ["settings: { part: MainBundle }"]
        let list = """
            <?xml version="1.0"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(plugin.identifier)</string>
            <key>CFBundleExecutable</key><string>\(plugin.name)</string>
            <key>CFBundleShortVersionString</key><string>2.5</string>
            <key>UIBackgroundModes</key><array><string>fetch</string></array>
            <key>BGTaskSchedulerPermittedIdentifiers</key><array><string>\(plugin.task("refresh"))</string></array>
            <key>bgtask-main-bundle</key><true/>
            <key>ServerURL</key><string>https://example.org</string>
            </dict></plist>
            """
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            let end = try await host.journalEnd()
            let identifier = plugin.identifier
            try FileManager.default.removeItem(atPath: host.directory.file(plugin.manifestFile))
            try await host.waitForJournal("its removal", after: end) { $0.event == "plugin-removed" }
            try host.directory.write(list.utf8, to: "manifests/Info.plist")
            try await host.waitForJournal("its arrival", after: end) {
                $0.event == "plugin-installed" && $0.plugin == identifier
            }
            let notes = try await notes(plugin, in: host)
            let expected = ["identifier \(identifier)", "version 2.5", "server https://example.org", "logs false"]
            #expect(notes.starts(with: expected), "\(notes)")
        }
    }

    @Test
    func `Bundle.main of a plugin without the manifest key main-bundle has no identifier, version or plugin keys`()
        async throws
    {
        let plugin = Self.plugin(.swift6, [])
        try await HostFixture.with(plugins: [plugin]) { host in
            let notes = try await notes(plugin, in: host)
            #expect(notes.starts(with: ["identifier none", "version none", "server none", "logs false"]), "\(notes)")
            #expect(!FileManager.default.fileExists(atPath: host.stateDirectory + "/bundles"))
        }
    }

    @Test func `after an upgrade Bundle.main has the new version, and after a removal the bundle is deleted`()
        async throws
    {
        var plugin = Self.plugin(.swift6)
        try await HostFixture.with(plugins: [plugin]) { host in
            #expect(try await notes(plugin, in: host).contains("version 1.0.0"))
            plugin.manifestLines = ["main-bundle: { CFBundleShortVersionString: 1.1.0 }"]
            try await host.change(to: plugin)
            #expect(try await notes(plugin, in: host).contains("version 1.1.0"))
            let bundle = host.stateDirectory + "/bundles/" + plugin.identifier
            #expect(FileManager.default.fileExists(atPath: bundle + "/Contents/Info.plist"))
            try FileManager.default.removeItem(atPath: host.directory.file(plugin.manifestFile))
            try await withDeadline(waitingFor: "the bundle to be deleted") {
                while FileManager.default.fileExists(atPath: bundle) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
    }
}
