// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("The operator narrows the grants of plugins, and no manifest, setting or symbolic link widens them")
struct GrantLimitTests {
    private struct Run {
        /// The errno of each operation that the plugin tried, by name; 0 for a permitted one.
        let works: [String: Int32]
        let rights: [GrantsInForce.Right]
        let denied: [String]
        let shown: String
    }

    /// Launches a plugin that uses `place`, the directory in its setting, under limits. In grants and limits `BASE`
    /// stands for the directory that contains `place` and `other`.
    private func run(
        grants: String,
        limits: String,
        place name: String = "place"
    ) async throws -> Run {
        try await ScratchDirectory.with { outer in
            for directory in ["place/inner", "other"] {
                try outer.makeDirectory(directory)
                chmod(outer.file(directory), 0o777)
            }
            chmod(outer.file("place"), 0o777)
            func placed(_ text: String) -> String { text.replacingOccurrences(of: "BASE", with: outer.path) }
            let hostSetup = HostSetup(configuration: ["grant-limits: { \(placed(limits)) }"])
            var run: Run?
            try await HostFixture.with(hostSetup) { host in
                var plugin = TestPlugin("UsesGrants")
                plugin.settings["place"] = outer.file(name)
                plugin.grants = placed(grants)
                try await host.install(plugin)
                try await host.started(plugin)
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded", "\(end)")
                let lines = host.containerText(plugin, "works.txt").split(separator: "\n").map {
                    $0.split(separator: " ")
                }
                let identifier = try #require(PluginIdentifier(plugin.identifier))
                run = Run(
                    works: Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Int32($0[1]) ?? -1) }),
                    rights: try await host.client.plugin(identifier).grants.rights,
                    denied: try await host.journal().filter { $0.event == "denied" }.map(\.message),
                    shown: try await host.bgtask("plugin", "show", plugin.identifier).output
                )
            }
            return try #require(run)
        }
    }

    @Test
    func `a grant limit refuses network and processes; plugin show and a journal entry name the limit of the network`()
        async throws
    {
        let limits = "\"*\": { processes: false }, com.example.*: { network: false }"
        let run = try await run(grants: "network: true, processes: true", limits: limits)
        #expect(run.works["network"] == EPERM && run.works["program"] != 0)
        #expect(run.rights.map(\.effective) == [[], []])
        #expect(
            run.rights.map(\.cause) == [
                "grant-limits.com.example.*.network is false", "grant-limits.*.processes is false",
            ]
        )
        #expect(run.shown.contains("network: without effect, because grant-limits.com.example.*.network is false"))
        let denial = try #require(run.denied.first { $0.hasPrefix("the system call socket(AF_INET)") })
        #expect(denial.contains("the manifest grants it, but grant-limits.com.example.*.network is false"))
    }

    @Test func `a grant limit of other plugins, and one that permits the grant, leave the grant in effect`()
        async throws
    {
        let limits = "com.other.*: { network: false }, com.example.usesgrants: { network: true, write: [BASE] }"
        let run = try await run(grants: "network: true, write: [BASE/place]", limits: limits)
        #expect(run.works["network"] == 0 && run.works["place-write"] == 0)
        #expect(run.rights.allSatisfy { $0.effective == [$0.requested] && $0.cause == nil })
    }

    @Test func `a grant limit narrows a granted directory to the part inside the limit`() async throws {
        let limits = "\"*\": { write: [BASE/place/inner] }"
        let narrowed = try await run(grants: "write: [BASE/place]", limits: limits)
        #expect(narrowed.works["place-read"] == EACCES && narrowed.works["place-write"] == EACCES)
        #expect(narrowed.rights.first?.effective.first?.hasSuffix("/place/inner") == true)
        #expect(narrowed.rights.first?.cause?.contains("grant-limits.*.write is ") == true)
        let inner = try await run(grants: "write: [BASE/place]", limits: limits, place: "place/inner")
        #expect(inner.works["place-read"] == 0 && inner.works["place-write"] == 0)
    }

    @Test func `a grant limit applies to the path in a granted setting`() async throws {
        let grant = "settings: [ { setting: place, access: write } ]"
        let outside = try await run(grants: grant, limits: "\"*\": { write: [BASE/other] }")
        #expect(outside.works["place-read"] == EACCES && outside.works["place-write"] == EACCES)
        #expect(outside.rights.first?.setting == "place" && outside.rights.first?.effective.isEmpty == true)
        let inside = try await run(grants: grant, limits: "\"*\": { write: [BASE/place] }")
        #expect(inside.works["place-write"] == 0)
    }

    @Test func `a granted symbolic link to a directory outside of the grant limit is not granted`() async throws {
        try await ScratchDirectory.with { elsewhere in
            chmod(elsewhere.path, 0o777)
            try await ScratchDirectory.with { outer in
                try FileManager.default.createSymbolicLink(
                    atPath: outer.file("link"),
                    withDestinationPath: elsewhere.path
                )
                let setup = HostSetup(configuration: ["grant-limits: { \"*\": { write: [\(outer.path)] } }"])
                try await HostFixture.with(setup) { host in
                    var plugin = TestPlugin("UsesGrants")
                    plugin.settings["place"] = outer.file("link")
                    plugin.grants = "write: [\(outer.file("link"))]"
                    try await host.install(plugin)
                    try await host.started(plugin)
                    _ = try await host.outcome(of: try await host.submit(plugin.task()))
                    try await host.waitForLog("the link") { $0.contains("is not granted") && $0.contains("outside of") }
                    let works = host.containerText(plugin, "works.txt")
                    #expect(works.contains("place-write \(EACCES)\n") && works.contains("place-read \(EACCES)\n"))
                }
            }
        }
    }

    @Test func `a grant whose limit is a missing file is left out, and the log names the missing file`() async throws {
        try await ScratchDirectory.with { outer in
            chmod(outer.path, 0o777)
            let file = outer.file("missing")
            let setup = HostSetup(configuration: ["grant-limits: { \"*\": { write: [\(file)] } }"])
            try await HostFixture.with(setup) { host in
                var plugin = TestPlugin("UsesGrants")
                plugin.settings["place"] = outer.path
                plugin.grants = "write: [\(file)]"
                try await host.install(plugin)
                try await host.started(plugin)
                _ = try await host.outcome(of: try await host.submit(plugin.task()))
                try await host.waitForLog("the file") {
                    $0.contains("\(file) is not granted: \(file), to which grant-limits narrows it, does not exist")
                }
                #expect(host.containerText(plugin, "works.txt").contains("place-write \(EACCES)\n"))
            }
        }
    }

    @Test func `a granted path that a plugin exchanges for a symbolic link does not open the link's target`()
        async throws
    {
        try await ScratchDirectory.with { outer in
            for directory in ["own", "secret"] {
                try outer.makeDirectory(directory)
                chmod(outer.file(directory), 0o777)
            }
            // As an earlier launch may have left it, which can write in its own directory.
            try FileManager.default.createSymbolicLink(
                atPath: outer.file("own/link"),
                withDestinationPath: outer.file("secret")
            )
            try await HostFixture.with { host in
                var plugin = TestPlugin("UsesGrants")
                plugin.settings["place"] = outer.file("secret")
                plugin.grants = "write: [\(outer.file("own")), \(outer.file("own/link"))]"
                try await host.install(plugin)
                try await host.started(plugin)
                _ = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(host.containerText(plugin, "works.txt").contains("place-write \(EACCES)\n"))
            }
        }
    }
}
