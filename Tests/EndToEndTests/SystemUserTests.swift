// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A host with the user and the capabilities of the unit confines its plugins as root does", .needsSystemUser)
struct SystemUserTests {
    /// A new setup for each host: hosts that run at once need ranges of users that do not overlap.
    private static var setup: HostSetup { HostSetup().ofSystemUser() }

    private static func user(of pid: Int32) throws -> UInt32 {
        var status = stat()
        guard stat("/proc/\(pid)", &status) == 0 else { throw HostFailure("there is no process \(pid)") }
        return status.st_uid
    }

    @Test func `a task of a plugin runs as a user of the range, without capabilities, and succeeds`() async throws {
        let (plugin, setup) = (TestPlugin("Patient"), Self.setup)
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            #expect(try Self.user(of: host.pid) == setup.user)
            try await host.started(plugin)
            let submission = try await host.submit(plugin.task())
            let identifier = plugin.identifier
            try await host.waitForLog("the handler") {
                $0.contains("patient runs") && $0.contains("plugin=\(identifier) ")
            }
            let launch = try await host.launch(of: plugin)
            let range = try #require(try await host.client.host().isolation.pluginUsers.range.flatMap { UserRange($0) })
            let user = try Self.user(of: launch.pid)
            #expect(range.contains(user))
            let status = try String(contentsOfFile: "/proc/\(launch.pid)/status", encoding: .utf8)
            for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
                #expect(status.contains("\(set):\t0000000000000000\n"), "\(status)")
            }
            try host.release(plugin)
            #expect(try await host.outcome(of: submission).event == "succeeded")
            #expect(try await host.show(plugin).grants.user == user)
            try await host.runNeighbour()
        }
    }

    @Test func `host status prints the number of a host's user without an account`() async throws {
        let setup = Self.setup
        let user = "\(try #require(setup.user))"
        try await HostFixture.with(setup) { host in
            let status = try await host.client.host()
            #expect(status.user == user)
        }
    }

    @Test(.needsSandbox)
    func `attacks of a plugin without grants are refused by a host with the capabilities of the unit`() async throws {
        try await AttackRun.play(grants: "", setup: Self.setup)
    }

    @Test(.needsSandbox)
    func `host status names the mechanism of each guarantee, and attributes the disk by io.stat or not at all`()
        async throws
    {
        try await HostFixture.with(Self.setup) { host in
            let isolation = try await host.client.host().isolation
            let guarantees = Dictionary(uniqueKeysWithValues: isolation.guarantees.map { ($0.name, $0) })
            #expect(Set(guarantees.keys) == Set(Guarantee.allCases.map(\.rawValue)))
            #expect(try await AttackRun.isConfined(host))
            #expect(guarantees["processes"]?.enforcedBy != nil)
            // The host cannot read the counters of its plugins, which have other users.
            let disk = try #require(guarantees["disk"])
            if let mechanism = disk.enforcedBy {
                #expect(mechanism.contains("control group (io.stat)"), "\(mechanism)")
            } else {
                #expect(disk.notEnforced?.contains("cannot read /proc/PID/io") == true, "\(disk)")
            }
            let text = try await host.bgtask("host", "status").output
            for (name, guarantee) in guarantees {
                let words = guarantee.enforcedBy ?? guarantee.notEnforced.map { "not enforced: \($0)" } ?? "?"
                #expect(text.contains("\(name): \(words)"), "\(text)")
            }
        }
    }

    @Test func `processes that a launch leaves behind are killed at its end`() async throws {
        var plugin = TestPlugin("LeavesChild")
        plugin.grants = "processes: true"
        try await HostFixture.with(Self.setup, plugins: [.neighbour, plugin]) { [plugin] host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            let children = Self.children(of: plugin, in: host)
            #expect(children.count == 2 && children.allSatisfy { !host.runnerProcesses().contains($0) })
            try await host.runNeighbour()
        }
    }

    @Test func `processes of plugins that a killed host leaves behind are killed by its successor`() async throws {
        var plugin = TestPlugin("LeavesChild").lingering
        plugin.grants = "processes: true"
        try await HostFixture.with(Self.setup, plugins: [.neighbour, plugin]) { [plugin] host in
            _ = try await host.submit(plugin.task())
            let launch = try await host.launch(of: plugin)
            try await withDeadline(waitingFor: "the children") {
                while Self.children(of: plugin, in: host).count < 2 { await Task.yield() }
            }
            let children = Self.children(of: plugin, in: host)
            host.kill9()
            try await host.restart()
            #expect(([launch.pid] + children).allSatisfy { !host.runnerProcesses().contains($0) })
            try await host.runNeighbour()
        }
    }

    private static func children(of plugin: TestPlugin, in host: HostFixture) -> [Int32] {
        host.containerText(plugin, "child.txt").split(separator: "\n").compactMap { Int32($0) }
    }
}
