// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A plugin reaches its library, its container and its grants, and nothing else")
struct SandboxTests {
    @Test(.needsSandbox)
    func `attacks of a plugin without grants from constructor, entry, handler and thread are refused`()
        async throws
    {
        try await AttackRun.play(grants: "")
    }

    @Test(.needsSandboxOfOrdinaryUser)
    func `attacks of a plugin without grants are refused when host and plugin have one ordinary user`()
        async throws
    {
        try await AttackRun.play(grants: "", setup: HostSetup().ofOrdinaryUser())
    }

    private static let resolverAttacks: Set<String> = [
        "ledger-write", "ledger-read", "ledger-truncate", "unix", "unix-datagrams", "internet-stream",
        "internet-datagrams", "internet-raw", "packets", "netlink-audit", "vsock",
    ]

    @Test(.needsSandbox)
    func `attacks from the resolver of an indirect function, which runs before the constructors, are refused`()
        async throws
    {
        try await attackFromResolver(HostSetup())
    }

    @Test(.needsSandboxOfOrdinaryUser)
    func `attacks from the resolver of an indirect function are refused when host and plugin have one ordinary user`()
        async throws
    {
        try await attackFromResolver(HostSetup().ofOrdinaryUser())
    }

    private func attackFromResolver(_ setup: HostSetup) async throws {
        let plugin = TestPlugin("AttacksFromResolver")
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            #expect(try await AttackRun.isConfined(host))
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            let lines = host.containerText(plugin, "attacks.txt").split(separator: "\n").map {
                $0.split(separator: " ")
            }
            #expect(Set(lines.map { String($0[1]) }) == Self.resolverAttacks)
            for line in lines {
                let (attack, error) = (String(line[1]), Int32(line[2]) ?? -1)
                #expect(AttackRun.expected[attack]?.contains(error) == true, "\(attack): errno \(error)")
            }
            let denied = try await host.journal().filter { $0.event == "denied" && $0.launch == end.launch }
            #expect(denied.contains { $0.message.contains("unix: [PATH]") }, "\(denied.map(\.message))")
            #expect(denied.contains { $0.message.contains("network: true") }, "\(denied.map(\.message))")
            try await host.runNeighbour()
        }
    }

    @Test(.needsSandbox)
    func `on a kernel without seccomp listeners attacks of a plugin are refused, and none is journaled`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let runner = try await RefusingKernel.withoutListener.runner(in: directory)
            try await AttackRun.play(grants: "", setup: HostSetup(["runner": runner]), isReported: false)
        }
    }

    @Test
    func `a runner that cannot set its resource limits loads no plugin: the host is blamed, no attempt is charged`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let runner = try await RefusingKernel.withoutLimits.runner(in: directory)
            let setup = HostSetup(["runner": runner], configuration: ["retry: { host-delay: 1h }"])
            try await HostFixture.with(setup, plugins: [.neighbour]) { host in
                _ = try await host.submit(TestPlugin.neighbour.task())
                let line = "the sandbox cannot be set up: cannot set the resource limit RLIMIT_FSIZE to"
                let entry = try await withDeadline(waitingFor: "the failed launch") {
                    while true {
                        let journal = try await host.journal()
                        if let entry = journal.first(where: { $0.message.contains(line) }) { return entry }
                        await Task.yield()
                    }
                }
                #expect(entry.blame == "host")
                #expect(host.containerText(.neighbour, "ran.txt") == "")
                // The task is requeued after the entry was written.
                let requeued = try await withDeadline(waitingFor: "the requeued task") {
                    while true {
                        let pending = try await host.client.tasks().pending
                        if !pending.isEmpty { return pending }
                        try Task.checkCancellation()
                    }
                }
                #expect(requeued.map(\.attempts) == [0])
            }
        }
    }

    @Test(.needsSandbox)
    func `the grant network allows internet stream and datagram sockets, and no other attack of the tested plugin`()
        async throws
    {
        try await AttackRun.play(grants: "network: true", allowed: ["internet-stream", "internet-datagrams"])
    }

    @Test(.needsSandbox)
    func `a refused call repeated 20,000 times by a plugin is journaled once; its task and a neighbour's task succeed`()
        async throws
    {
        let plugin = TestPlugin("RepeatsRefusedCall")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            try await host.runNeighbour()
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded", "\(end)")
            #expect(host.containerText(plugin, "refused.txt") == "20000\n")
            let denied = try await host.journal().filter { $0.event == "denied" }
            #expect(denied.count == 1 && denied.first?.message.contains("network: true") == true)
        }
    }

    @Test(.needsSandbox)
    func `refused calls that a grant allows are journaled after a hundred refused calls that no grant allows`()
        async throws
    {
        let plugin = TestPlugin("HidesRefusedCall")
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            let denied = try await host.journal().filter { $0.event == "denied" }.map(\.message)
            for remedy in ["network: true", "unix: [PATH]", "processes: true"] {
                #expect(denied.filter { $0.contains(remedy) }.count == 1, "\(denied)")
            }
            #expect(denied.filter { $0.contains("no grant allows this call") }.count == 20, "\(denied)")
            for command in ["fcntl(F_SETLEASE)", "fcntl(F_SETOWN)"] {
                #expect(denied.contains { $0.contains(command) }, "\(denied)")
            }
        }
    }

    // MARK: - Work

    private func works(
        grants: String,
        place: (HostFixture) throws -> String = { $0.directory.file("place") },
        setup: HostSetup = HostSetup(),
        _ check: (HostFixture, [String: Int32]) async throws -> Void
    ) async throws {
        try await HostFixture.with(setup, plugins: [.neighbour]) { host in
            var plugin = TestPlugin("UsesGrants")
            plugin.settings["place"] = try place(host)
            plugin.grants = grants.replacingOccurrences(of: "BASE", with: host.directory.path)
            try host.directory.makeDirectory("place")
            // The operator lets the plugin's user write there.
            chmod(host.directory.file("place"), 0o777)
            try await host.install(plugin)
            try await host.started(plugin)
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            let lines = host.containerText(plugin, "works.txt").split(separator: "\n").map { $0.split(separator: " ") }
            try await check(host, Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Int32($0[1]) ?? -1) }))
        }
    }

    private static let always = [
        "create", "rename", "truncate", "symlink", "remove", "mode", "times", "temporary", "thread", "pair", "code",
        "user", "zone", "status", "output", "descriptors",
    ]

    @Test(.needsSandbox)
    func `without grants a plugin uses its container, temporary files, threads and the system's data`()
        async throws
    {
        try await works(grants: "") { _, works in
            for work in Self.always { #expect(works[work] == 0, "\(work): errno \(works[work] ?? -1)") }
            #expect(works["place-read"] == EACCES && works["place-write"] == EACCES)
            #expect(works["network"] == EPERM && works["program"] != 0)
        }
    }

    @Test(.needsSandbox) func `the grant read opens a directory for reading alone`() async throws {
        try await works(grants: "read: [BASE/place]") { _, works in
            #expect(works["place-read"] == 0 && works["place-write"] == EACCES)
        }
    }

    @Test(.needsSandbox) func `the grant write opens a directory for writing`() async throws {
        try await works(grants: "write: [BASE/place]") { _, works in
            #expect(works["place-read"] == 0 && works["place-write"] == 0)
        }
    }

    @Test(.needsSandbox) func `a grant of a setting opens the path in the value of the setting`() async throws {
        try await works(grants: "settings: [ { setting: place, access: write } ]") { host, works in
            #expect(works["place-read"] == 0 && works["place-write"] == 0)
            #expect(FileManager.default.fileExists(atPath: host.directory.file("place/new")))
        }
    }

    @Test(.needsSandbox)
    func `the grant write for a missing path creates an empty file there, and opens nothing around it`()
        async throws
    {
        try await works(grants: "write: [BASE/place/missing]") { host, works in
            #expect(works["place-read"] == EACCES && works["place-write"] == EACCES)
            let size = try FileManager.default.attributesOfItem(atPath: host.directory.file("place/missing"))[.size]
            #expect(size as? Int == 0)
        }
    }

    @Test(.needsSandbox) func `the grant write for a missing path that ends with a slash creates a directory there`()
        async throws
    {
        let inner = { (host: HostFixture) in host.directory.file("place/inner") }
        try await works(grants: "write: [BASE/place/inner/]", place: inner) { _, works in
            #expect(works["place-read"] == 0 && works["place-write"] == 0)
        }
    }

    @Test(.needsSandbox, .needsUsersOfPlugins, arguments: [true, false])
    func `a symbolic link on the way to a granted path is followed only if root or the host's user owns it`(
        isTrusted: Bool
    ) async throws {
        func link(_ host: HostFixture) throws -> String {
            let path = host.directory.file("link")
            try FileManager.default.createSymbolicLink(
                atPath: path,
                withDestinationPath: host.directory.file("place")
            )
            if !isTrusted { lchown(path, 4_242, 4_242) }
            return path
        }
        try await works(grants: "write: [BASE/link]", place: link) { host, works in
            let status = isTrusted ? 0 : EACCES
            #expect(works["place-read"] == status && works["place-write"] == status)
            if isTrusted { return }
            try await host.waitForLog("the link") { $0.contains("a plugin could have put the symbolic link") }
        }
    }

    @Test func `the grants processes and network allow programs and sockets`() async throws {
        try await works(grants: "processes: true, network: true") { _, works in
            #expect(works["program"] == 0 && works["network"] == 0)
        }
    }

    @Test(.needsSandbox)
    func `a granted path that leads to the host's state by a symbolic link is left out and logged`()
        async throws
    {
        func link(_ host: HostFixture) throws -> String {
            let path = host.directory.file("link")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: host.stateDirectory)
            return path
        }
        try await works(grants: "settings: [ { setting: place, access: write } ]", place: link) { host, works in
            #expect(works["place-read"] == EACCES && works["place-write"] == EACCES)
            try await host.waitForLog("the grant") {
                $0.contains("is not granted") && $0.contains("belongs to the host")
            }
            let reply = try await host.client.plugin(try #require(PluginIdentifier("com.example.usesgrants")))
            #expect(reply.grants.rights.first?.cause?.contains("belongs to the host") == true)
        }
    }

    @Test(arguments: ["link", "file"])
    func `a container path that is a symbolic link or a file is refused in the log, and the link's target stays empty`(
        _ kind: String
    )
        async throws
    {
        try await HostFixture.with(plugins: [.neighbour]) { host in
            let place = host.directory.file("elsewhere")
            try host.directory.makeDirectory("elsewhere")
            let container = host.stateDirectory + "/containers/com.example.usesgrants"
            if kind == "link" {
                try FileManager.default.createSymbolicLink(atPath: container, withDestinationPath: place)
            } else {
                #expect(FileManager.default.createFile(atPath: container, contents: nil))
            }
            let plugin = TestPlugin("UsesGrants")
            try await host.install(plugin)
            let line = try await host.waitForLog("the refusal of the container") { $0.contains(container) }
            #expect(line.contains("is not a directory; remove"), "\(line)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
            try await host.runNeighbour()
            try FileManager.default.removeItem(atPath: container)
        }
    }

    // MARK: - Configuration

    @Test
    func `with isolation off a plugin uses files, network and programs without grants, and the host reports this`()
        async throws
    {
        try await works(grants: "", setup: HostSetup(["isolation": "off"])) { host, works in
            #expect(works["place-write"] == 0 && works["network"] == 0 && works["program"] == 0)
            let isolation = try await host.client.host().isolation
            #expect(isolation.choice == "off")
            // The limits of memory and processes do not belong to the sandbox.
            let confining = isolation.guarantees.filter { !["memory", "processes"].contains($0.name) }
            #expect(confining.allSatisfy { $0.enforcedBy == nil && $0.notEnforced != nil })
        }
    }
}
