// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A launch stays within its limits")
struct LaunchLimitTests {
    /// The arguments are the limit of the host and the limit of the manifest; nil for a manifest without a limit. The
    /// lower one applies.
    @Test(.needsUsersOfPlugins, arguments: [(64, nil), (64, 40), (40, 64)] as [(Int, Int?)])
    func `a plugin with a user of its own starts at most as many threads as host and manifest permit`(
        _ host: Int,
        _ manifest: Int?
    ) async throws {
        var plugin = TestPlugin("StartsThreads")
        if let manifest { plugin.manifestLines = ["limits: { processes: \(manifest) }"] }
        let limit = min(host, manifest ?? host)
        let setup = HostSetup(configuration: ["launch-limits: { processes: \(host) }"])
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { [plugin] host in
            try await host.started(plugin)
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            let found = host.containerText(plugin, "threads.txt").split { $0 == " " || $0 == "\n" }.compactMap {
                Int32($0)
            }
            try #require(found.count == 2)
            #expect(found[1] == EAGAIN && found[0] < limit && found[0] > limit - 16, "\(found)")
            let processes = try await host.client.host().isolation.guarantees.first { $0.name == "processes" }
            #expect(processes?.enforcedBy != nil)
            let shown = try await host.bgtask("plugin", "show", plugin.identifier).output
            #expect(shown.contains("memory unlimited, processes \(limit)"), "\(shown)")
            try await host.runNeighbour()
        }
    }

    @Test(.needsUsersOfPlugins, .needsSandbox, arguments: LaunchPlace.allCases)
    func `a fork bomb with the grant processes ends at the limit of its launch, while a neighbour's task completes`(
        _ place: LaunchPlace
    ) async throws {
        let limit = 40
        var plugin = TestPlugin("ForkBomb").lingering
        plugin.manifestLines = ["limits: { processes: \(limit) }"]
        plugin.grants = "processes: true"
        try await HostFixture.with(plugins: [.neighbour, plugin]) { [plugin] host in
            try await host.started(plugin)
            try host.choose(place, of: plugin)
            let submission = try await host.submit(plugin.task())
            let identifier = plugin.identifier
            try await host.waitForLog("the refused process") {
                $0.contains("the task lingers") && $0.contains("plugin=\(identifier) ")
            }
            #expect(host.containerText(plugin, "forks.txt") == "\(EAGAIN)\n")
            let user = try #require(try await host.show(plugin).grants.user)
            let bomb = host.runnerProcesses().filter { pid in
                var status = stat()
                return stat("/proc/\(pid)", &status) == 0 && status.st_uid == user
            }
            #expect(bomb.count <= limit && bomb.count > limit / 2, "\(bomb.count) processes")
            try await host.withstands(submission: submission)
            try host.letGo(plugin)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded", "\(end)")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            #expect(bomb.allSatisfy { !host.runnerProcesses().contains($0) })
        }
    }

    @Test(.needsMemoryLimit, .needsSandbox, arguments: LaunchPlace.allCases)
    func `a launch that exceeds its memory is killed with all its processes`(_ place: LaunchPlace) async throws {
        var plugin = TestPlugin("AllocatesMemory")
        plugin.manifestLines = ["limits: { memory: 64 MiB }"]
        plugin.grants = "processes: true"
        try await HostFixture.with(HostSetup(["retry-delay": "1h"]), plugins: [.neighbour, plugin]) { [plugin] host in
            let memory = try await host.client.host().isolation.guarantees.first { $0.name == "memory" }
            try await host.started(plugin)
            try host.choose(place, of: plugin)
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            let event = place.isBeforeTasks ? "entry-failed" : "killed-for-memory"
            #expect(memory?.enforcedBy != nil && end.event == event && end.blame == "plugin", "\(end)")
            #expect(end.message.contains("for lack of memory"), "\(end)")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            let processes = host.containerText(plugin, "memory.txt").split(separator: "\n").compactMap { Int32($0) }
            #expect(processes.count == 2 && processes.allSatisfy { !host.runnerProcesses().contains($0) })
            try await host.runNeighbour()
            _ = try? await host.client.cancel(host.identifier(plugin.task()))
        }
    }

    @Test(arguments: [0, 10])
    func `a background launch adds background-nice to the nice value of the host`(_ nice: Int32) async throws {
        let plugin = TestPlugin("Patient")
        try await HostFixture.with(HostSetup(["background-nice": "\(nice)"]), plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            let submission = try await host.submit(plugin.task())
            let launch = try await host.launch(of: plugin)
            let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            try await withDeadline(waitingFor: "the priority of the runner") {
                while true {
                    let stat = try String(contentsOfFile: "/proc/\(launch.pid)/stat", encoding: .utf8)
                    let found = stat.split(separator: ")").last?.split(separator: " ").dropFirst(16).first
                    if found.flatMap({ Int32($0) }) == min(19, own + nice) { return }
                    await Task.yield()
                }
            }
            try host.release(plugin)
            _ = try await host.outcome(of: submission)
        }
    }
}
