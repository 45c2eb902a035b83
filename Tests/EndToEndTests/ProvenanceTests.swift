// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import PluginCatalogue
import TaskModel
import Testing

@Suite("A host runs only files that the manifest pins and that users cannot plant")
struct ProvenanceTests {
    /// A plugin whose library is linked with `libplain.so` in the same directory. The manifest pins the SHA-256 of
    /// both.
    private func pinned(in host: HostFixture) async throws -> TestPlugin {
        let plain = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so"])
        let helper = try host.directory.write(plain, to: "plugins/libplain.so")
        var plugin = TestPlugin("Obedient")
        plugin.library = .compiled("Obedient", flags: ["-Wl,--no-as-needed", helper, "-Wl,-rpath,$ORIGIN"])
        let library = try host.directory.write(try await plugin.libraryBytes(), to: plugin.libraryFile)
        plugin.manifestLines = [
            "sha256: \(try LibraryDigest.of(path: library))",
            "files: { libplain.so: \(try LibraryDigest.of(path: helper)) }",
        ]
        return plugin
    }

    @Test func `a plugin whose pinned private library is exchanged is refused, and keeps its pending work`()
        async throws
    {
        try await HostFixture.with { host in
            let plugin = try await pinned(in: host)
            let original = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so"])
            try await host.install(plugin)
            let identifier = plugin.identifier
            try await host.waitForJournal("its arrival") { $0.event == "plugin-installed" && $0.plugin == identifier }
            let kept = try await host.submit(plugin.task(), earliestBegin: HostFixture.tomorrow)
            let end = try await host.journalEnd()
            let planted = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so", "-DPLANTED=1"])
            try host.directory.write(planted + [0], to: "plugins/libplain.so")
            let refusal = try await host.waitForJournal("the refusal", after: end) { $0.event == "plugin-refused" }
            #expect(refusal.plugin == identifier && refusal.message.contains("libplain.so"))
            let why = try await host.bgtask("why", plugin.task())
            #expect(why.output.contains("libplain.so") && why.output.contains("has the digest"))
            try host.directory.write(original, to: "plugins/libplain.so")
            try await host.waitForJournal("its return", after: refusal.number) { $0.plugin == identifier }
            #expect(try await host.client.tasks().pending.map(\.submission).contains(kept))
        }
    }

    @Test func `a library with /tmp in its search path is refused`() async throws {
        var plugin = TestPlugin("Obedient")
        plugin.library = .compiled("Obedient", flags: ["-Wl,-rpath,/tmp"])
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let refused = try #require(try await host.client.plugins().refused.first)
            #expect(refused.identifier == plugin.identifier)
            #expect(refused.problems.first?.message.contains("\"/tmp\" in its search path") == true)
            try await host.runNeighbour()
        }
    }
}
