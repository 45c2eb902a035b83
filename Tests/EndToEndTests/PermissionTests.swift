// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginCatalogue
import TaskModel
import Testing

@Suite("A plugin can remove permissions only of its own files, and those of its container are restored")
struct PermissionTests {
    /// Runs a plugin that sets the mode of its container to 0 three times, with a restart of the host before the last
    /// launch.
    private func closeContainer(_ setup: HostSetup) async throws {
        let plugin = TestPlugin("ClosesContainer")
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            for count in 1...3 {
                if count == 3 {
                    try await host.stop()
                    try await host.restart()
                }
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded", "\(end)")
                _ = try await host.end(ofLaunch: try #require(end.launch))
            }
            // The test reads and deletes the container.
            chmod("\(host.stateDirectory)/containers/\(plugin.identifier)", 0o700)
            #expect(host.containerText(plugin, "ran.txt") == "ran\nran\nran\n")
            let blamed = try await host.journal().filter { $0.plugin == plugin.identifier && $0.blame == "host" }
            #expect(blamed.isEmpty, "\(blamed.map(\.message))")
            try await host.runNeighbour()
        }
    }

    @Test func `a plugin that sets the mode of its container to 0 can use the container in its next launches`()
        async throws
    {
        try await closeContainer(HostSetup())
    }

    @Test(.needsSandboxOfOrdinaryUser)
    func `a plugin with the host's ordinary user that closes its container can use it in its next launches`()
        async throws
    {
        try await closeContainer(HostSetup().ofOrdinaryUser())
    }

    @Test(.needsSystemUser)
    func `a plugin with a user of its own that closes its container can use it under a host with capabilities alone`()
        async throws
    {
        try await closeContainer(HostSetup().ofSystemUser())
    }

    // MARK: Files beside the library

    /// Runs a plugin that opens files beside its library and takes away their permissions. Returns the errno of each
    /// file: `EPERM` for an opened file of another user, and 0 for an opened file of the plugin's user.
    private func errors(_ plugin: TestPlugin, in host: HostFixture) async throws -> [String: Int32] {
        try await host.started(plugin)
        let end = try await host.outcome(of: try await host.submit(plugin.task()))
        #expect(end.event == "succeeded", "\(end)")
        let lines = host.containerText(plugin, "beside.txt").split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Int32($0[1]) ?? -1) })
    }

    @Test(.needsSandboxOfOrdinaryUser)
    func `a plugin with the host's ordinary user cannot open the libraries, manifests and directories of neighbours`()
        async throws
    {
        var plugin = TestPlugin("OpensBeside")
        let files = ["libNeighbour.so", ".", "../manifests/Neighbour.yaml", "../manifests"]
        plugin.settings["files"] = files.joined(separator: " ")
        try await HostFixture.with(HostSetup().ofOrdinaryUser(), plugins: [.neighbour, plugin]) { [plugin] host in
            try await host.runNeighbour()
            let found = try await errors(plugin, in: host)
            #expect(found == Dictionary(uniqueKeysWithValues: files.map { ($0, EACCES) }))
            try await host.runNeighbour()
        }
    }

    /// Writes the plugin's library, its private library `libplain.so`, and the data files `colors.txt` and `other.txt`
    /// into a directory. The manifest pins all of them but the last.
    private func build(_ plugin: inout TestPlugin, in directory: String, of host: HostFixture) async throws {
        let plain = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so"])
        let helper = try host.directory.write(plain, to: "\(directory)/libplain.so")
        plugin.library = .compiled("OpensBeside", flags: ["-Wl,--no-as-needed", helper, "-Wl,-rpath,$ORIGIN"])
        let library = try host.directory.write(try await plugin.libraryBytes(), to: "\(directory)/libOpensBeside.so")
        let colors = try host.directory.write("red".utf8, to: "\(directory)/colors.txt")
        try host.directory.write("blue".utf8, to: "\(directory)/other.txt")
        let (palette, plainDigest) = (try LibraryDigest.of(path: colors), try LibraryDigest.of(path: helper))
        plugin.manifestLines = [
            "sha256: \(try LibraryDigest.of(path: library))",
            "files: { libplain.so: \(plainDigest), colors.txt: \(palette) }",
        ]
    }

    @Test(.needsSandbox, .needsUsersOfPlugins)
    func `a plugin in place opens its pinned files beside its library, and neither others nor the directory`()
        async throws
    {
        try await HostFixture.with { host in
            var plugin = TestPlugin("OpensBeside")
            plugin.settings["files"] = "libOpensBeside.so libplain.so colors.txt other.txt ."
            try await build(&plugin, in: "plugins", of: host)
            try await host.install(plugin)
            #expect(
                try await errors(plugin, in: host) == [
                    "libOpensBeside.so": EPERM, "libplain.so": EPERM, "colors.txt": EPERM, "other.txt": EACCES,
                    ".": EACCES,
                ]
            )
        }
    }

    @Test(.needsSandboxOfOrdinaryUser)
    func `a plugin opens neither a neighbour's library and manifest nor a file elsewhere through links that it pins`()
        async throws
    {
        try await HostFixture.with(HostSetup().ofOrdinaryUser(), plugins: [.neighbour]) { host in
            var plugin = TestPlugin("OpensBeside")
            plugin.settings["files"] = "link.so hard.so up/Neighbour.yaml away.txt colors.txt libNeighbour.so"
            try await build(&plugin, in: "plugins", of: host)
            let plugins = host.directory.file("plugins")
            try host.directory.write("outside".utf8, to: "outside.txt")
            try #require(symlink("../outside.txt", "\(plugins)/away.txt") == 0)
            try #require(symlink("libNeighbour.so", "\(plugins)/link.so") == 0)
            try #require(link("\(plugins)/libNeighbour.so", "\(plugins)/hard.so") == 0)
            try #require(symlink("../manifests", "\(plugins)/up") == 0)
            var pins: [String] = []
            for name in ["link.so", "hard.so", "up/Neighbour.yaml", "away.txt", "libplain.so", "colors.txt"] {
                pins.append("\(name): \(try LibraryDigest.of(path: "\(plugins)/\(name)"))")
            }
            plugin.manifestLines[1] = "files: { \(pins.joined(separator: ", ")) }"
            try await host.install(plugin)
            var found = try await errors(plugin, in: host)
            let removed = found.removeValue(forKey: "colors.txt")
            let own = try #require(removed)
            #expect(own == 0 || own == EPERM)
            #expect(
                found == [
                    "link.so": EACCES, "hard.so": EACCES, "up/Neighbour.yaml": EACCES, "away.txt": EACCES,
                    "libNeighbour.so": EACCES,
                ]
            )
            try await host.runNeighbour()
        }
    }

    @Test(.needsSandbox, .needsUsersOfPlugins)
    func `a plugin in the version store opens the directory of its version, and no other file of the store`()
        async throws
    {
        try await HostFixture.with { host in
            var plugin = TestPlugin("OpensBeside")
            plugin.settings["files"] = "libplain.so other.txt . .. ../../Neighbour.yaml"
            try host.directory.makeDirectory("manifests/store")
            try host.directory.makeDirectory("version")
            try await build(&plugin, in: "version", of: host)
            let manifest = try host.directory.write(plugin.manifest.utf8, to: "manifest")
            let stored = "manifests/store/\(try LibraryDigest.of(path: manifest))"
            try FileManager.default.moveItem(
                atPath: host.directory.file("version"),
                toPath: host.directory.file(stored)
            )
            try host.directory.write(plugin.manifest.utf8, to: plugin.manifestFile)
            #expect(
                try await errors(plugin, in: host) == [
                    "libplain.so": EPERM, "other.txt": EPERM, ".": EPERM, "..": EACCES,
                    "../../Neighbour.yaml": EACCES,
                ]
            )
        }
    }
}
