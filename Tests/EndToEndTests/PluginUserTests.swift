// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("Each main plugin of a system host has a user of its own", .enabled(if: getuid() == 0))
struct PluginUserTests {
    private static func owner(_ path: String) throws -> UInt32 {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw HostFailure("there is no \(path)") }
        return status.st_uid
    }

    private static func container(of plugin: TestPlugin, in host: HostFixture) -> String {
        host.stateDirectory + "/containers/" + plugin.identifier
    }

    private static func user(of plugin: TestPlugin, in host: HostFixture) async throws -> UInt32? {
        let identifier = try #require(PluginIdentifier(plugin.identifier))
        return try await host.client.plugin(identifier).grants.user
    }

    @Test func `without a sandbox a plugin's user can enter neither another plugin's container nor the ledger`()
        async throws
    {
        for place in ["containers/\(TestPlugin.neighbour.identifier)", "ledger", "containers"] {
            try await HostFixture.with(HostSetup(["isolation": "off"]), plugins: [.neighbour]) { host in
                try await host.runNeighbour()
                var plugin = TestPlugin("UsesGrants")
                plugin.settings["place"] = host.stateDirectory + "/" + place
                try await host.install(plugin)
                try await host.started(plugin)
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded", "\(end)")
                let works = host.containerText(plugin, "works.txt").split(separator: "\n")
                #expect(works.contains("place-read \(EACCES)") && works.contains("place-write \(EACCES)"), "\(works)")
                #expect(works.contains("network 0"), "no sandbox is in effect")
            }
        }
    }

    @Test func `a container and its files have the user of their plugin; plugin show prints it, host status the range`()
        async throws
    {
        let plugin = TestPlugin("Recorder")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.runNeighbour()
            _ = try await host.outcome(of: try await host.submit(plugin.task()))
            let range = try #require(try await host.client.host().isolation.pluginUsers.range.flatMap { UserRange($0) })
            let users = try [TestPlugin.neighbour, plugin].map { try Self.owner(Self.container(of: $0, in: host)) }
            #expect(Set(users).count == 2 && users.allSatisfy { range.contains($0) })
            let files = try FileManager.default.subpathsOfDirectory(atPath: Self.container(of: plugin, in: host))
            #expect(!files.isEmpty)
            for file in files {
                #expect(try Self.owner(Self.container(of: plugin, in: host) + "/" + file) == users[1], "\(file)")
            }
            var status = stat()
            #expect(stat(Self.container(of: plugin, in: host), &status) == 0 && status.st_mode & 0o7777 == 0o700)
            let shown = try await host.bgtask("plugin", "show", plugin.identifier).output
            #expect(shown.contains("\(users[1]), its own"), "\(shown)")
            #expect(try await host.bgtask("host", "status").output.contains("\(range), one per plugin"))
        }
    }

    @Test func `an extension runs as the user of its main plugin`() async throws {
        var main = TestPlugin("Recorder", tasks: ["processing1", "processing2"])
        let child = TestPlugin.extension("Listens", of: &main)
        try await HostFixture.with(plugins: [.neighbour, main, child]) { [main] host in
            try await host.started(main)
            let identifier = try #require(PluginIdentifier(child.identifier))
            _ = try await host.outcome(
                of: try await host.client.trigger(identifier, PluginTrigger(payload: [])).submission
            )
            let container = Self.container(of: main, in: host)
            let user = try Self.owner(container)
            #expect(try Self.owner(container + "/heard.txt") == user)
            #expect(try await Self.user(of: child, in: host) == user)
        }
    }

    @Test func `a purge deletes a container that its plugin's user owns, and the reinstalled plugin has the same user`()
        async throws
    {
        try await HostFixture.with(plugins: [.neighbour]) { host in
            try await host.runNeighbour()
            let user = try await Self.user(of: .neighbour, in: host)
            #expect(user != nil)
            let start = try await host.journalEnd()
            let purged = try await host.bgtask("plugin", "remove", TestPlugin.neighbour.identifier, "--purge", "--yes")
            #expect(purged.status == 0 && purged.error.contains("its container and its logs"), "\(purged)")
            let containers = host.stateDirectory + "/containers"
            #expect(try FileManager.default.contentsOfDirectory(atPath: containers).isEmpty)
            try await host.install(.neighbour)
            try await host.started(.neighbour, after: start)
            try await host.runNeighbour()
            #expect(try Self.owner(Self.container(of: .neighbour, in: host)) == user)
        }
    }

    @Test func `a plugin keeps its user after a restart of the host`() async throws {
        try await HostFixture.with(plugins: [.neighbour]) { host in
            try await host.runNeighbour()
            let user = try await Self.user(of: .neighbour, in: host)
            try await host.stop()
            try await host.restart()
            #expect(try await Self.user(of: .neighbour, in: host) == user && user != nil)
        }
    }

    @Test func `after a change of plugin-users a container has its new owner, and the plugin still runs`() async throws
    {
        try await HostFixture.with(plugins: [.neighbour]) { host in
            try await host.runNeighbour()
            let container = Self.container(of: .neighbour, in: host)
            let user = try Self.owner(container)
            for (choice, owner) in [("host", 0), ("\(user + 1_000)-\(user + 1_009)", user + 1_000)]
                as [(String, UInt32)]
            {
                try await host.stop()
                try await host.restart(with: ["plugin-users": choice])
                try await host.runNeighbour()
                #expect(try Self.owner(container) == owner)
                #expect(try Self.owner(container + "/ran.txt") == owner)
            }
        }
    }

    @Test
    func `after a shift of the user range no container belongs to another plugin's user, and each gets its new owner`()
        async throws
    {
        let plugin = TestPlugin("Recorder")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.runNeighbour()
            _ = try await host.outcome(of: try await host.submit(plugin.task()))
            let containers = [TestPlugin.neighbour, plugin].map { Self.container(of: $0, in: host) }
            let owners = try containers.map(Self.owner)
            let (first, second) = (try #require(owners.min()), try #require(owners.max()))
            // The user of the second plugin is the first user of the new range.
            try await host.stop()
            try await host.restart(with: ["plugin-users": "\(second)-\(second + 63)"])
            // Each container is closed until the next launch of its plugin, which may already have begun.
            let shifted = second - first
            for (container, owner) in zip(containers, owners) {
                #expect([0, owner + shifted].contains(try Self.owner(container)))
            }
            try await host.runNeighbour()
            #expect(try Self.owner(containers[0]) == owners[0] + shifted)
            #expect(try Self.owner(containers[0] + "/ran.txt") == owners[0] + shifted)
            _ = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(try containers.map(Self.owner) == owners.map { $0 + shifted })
            // One of the plugins has no user in a range of one user, and its container belongs to the host.
            try await host.stop()
            try await host.restart(with: ["plugin-users": "\(second)-\(second)"])
            #expect(Set(try containers.map(Self.owner)) == [second, 0])
            try await host.stop()
            try await host.restart(with: ["plugin-users": "\(first)-\(first + 63)"])
            try await host.runNeighbour()
        }
    }

    @Test func `children of a plugin's process that outlive a killed host are killed by the next host`() async throws {
        var plugin = TestPlugin("LeavesChild").lingering
        plugin.grants = "processes: true"
        try await HostFixture.with(plugins: [.neighbour, plugin]) { [plugin] host in
            _ = try await host.submit(plugin.task())
            let launch = try await host.launch(of: plugin)
            try await withDeadline(waitingFor: "the children") {
                while host.containerText(plugin, "child.txt").split(separator: "\n").count < 2 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            let children = host.containerText(plugin, "child.txt").split(separator: "\n").compactMap { Int32($0) }
            host.kill9()
            _ = try await host.process?.ending()
            #expect(children.allSatisfy { kill($0, 0) == 0 }, "the children outlive the killed host")
            try await host.restart()
            #expect(([launch.pid] + children).allSatisfy { !host.runnerProcesses().contains($0) })
        }
    }

    @Test func `a process that a killed host leaves behind is killed before the owner of its container changes`()
        async throws
    {
        var plugin = TestPlugin("LeavesWriter")
        plugin.grants = "processes: true"
        try await HostFixture.with(plugins: [plugin]) { [plugin] host in
            _ = try await host.submit(plugin.task())
            let container = Self.container(of: plugin, in: host)
            try await withDeadline(waitingFor: "the writer") {
                while host.containerText(plugin, "written.txt").isEmpty {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            let user = try Self.owner(container)
            host.kill9()
            // Without its manifest the plugin does not run again.
            try host.directory.remove(plugin.manifestFile)
            try await host.restart(with: ["plugin-users": "\(user + 2_000)-\(user + 2_009)"])
            var (directory, file) = (stat(), stat())
            #expect(stat(container, &directory) == 0 && stat(container + "/written.txt", &file) == 0)
            let (closed, written) = (directory.st_ctim, file.st_mtim)
            #expect((written.tv_sec, written.tv_nsec) <= (closed.tv_sec, closed.tv_nsec))
            #expect(directory.st_uid == 0 && file.st_uid == user)
        }
    }

    @Test func `a host of root without users for plugins does not start, and names the remedies`() async throws {
        try await ScratchDirectory.with { directory in
            let run = try await ProgramRun.of(
                BuiltProgram.host.path(),
                [
                    "--state-directory", directory.file("state"), "--socket", directory.file("control.sock"),
                    "--config", try directory.write("plugin-users: auto\n".utf8, to: "bgtaskd.yaml"),
                ]
            )
            // A machine may reserve a range for root: then the host of this test would start.
            #expect(run.status != 0 && run.error.contains("runs as root and has no users for its plugins"), "\(run)")
            #expect(run.error.contains("plugin-users: 600000-665535"))
            let check = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["host", "check", "--state-directory", directory.file("state"), "--plugin-users", "auto"]
            )
            #expect(check.output.contains("plugin-users") && check.output.contains("runs as root"), "\(check)")
        }
    }

    @Test func `a state directory that the users of plugins cannot reach is refused with the remedy`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("private")
            chmod(directory.file("private"), 0o700)
            let run = try await ProgramRun.of(
                BuiltProgram.host.path(),
                [
                    "--state-directory", directory.file("private/state"), "--socket", directory.file("control.sock"),
                    "--plugin-users", "600000-600009",
                ]
            )
            #expect(run.status != 0 && run.error.contains("chmod o+x \(directory.file("private"))"), "\(run)")
        }
    }
}
