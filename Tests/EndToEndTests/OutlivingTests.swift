// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A process of a plugin does not outlive a killed host and its successor")
struct OutlivingTests {
    /// The host of an ordinary user, without control groups. Its plugins run as the same user, so only the process mark
    /// identifies their leftover processes.
    private static var setup: HostSetup {
        let setup = HostSetup(["cgroup": "none"])
        return geteuid() == 0 ? setup.ofOrdinaryUser() : setup
    }

    /// The contents of a file of `/proc`; empty when it cannot be read, such as after the end of the process.
    private static func text(_ path: String) -> String {
        let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    @Test func `a daemon with an empty environment is killed and journaled when the next host starts`() async throws {
        var plugin = TestPlugin("OutlivesHost")
        plugin.grants = "processes: true, execute: [/bin/sleep]"
        try await HostFixture.with(Self.setup, plugins: [.neighbour, plugin]) { [plugin] host in
            try await host.started(plugin)
            _ = try await host.submit(plugin.task())
            let daemon = try await withDeadline(waitingFor: "the daemon to execute its program") {
                while true {
                    let pid = Int32(host.containerText(plugin, "child.txt").prefix { $0 != "\n" })
                    if let pid, Self.text("/proc/\(pid)/comm") == "sleep\n" { return pid }
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            #expect(Self.text("/proc/\(daemon)/environ").isEmpty)
            host.kill9()
            _ = try await host.process?.ending()
            #expect(kill(daemon, 0) == 0, "the daemon outlives the killed host")

            // The next host would start the daemon again.
            try FileManager.default.removeItem(atPath: host.directory.file(plugin.manifestFile))
            try await host.restart()
            let entry = try await host.waitForJournal("the killed daemon") { $0.event == "leftover-killed" }
            #expect(entry.message.contains("process \(daemon) (sleep) of a plugin outlived the previous host"))
            #expect(entry.blame == "nobody" && entry.launch == nil && entry.plugin == nil)
            // A dead process that is not reaped yet has no command line either.
            #expect(Self.text("/proc/\(daemon)/cmdline").isEmpty)
            try await host.waitForLog("the killed daemon") { $0.contains("outlived") && $0.contains("pid=\(daemon)") }
            try await host.runNeighbour()
            let entries = try await host.journal().filter { $0.event == "leftover-killed" }
            #expect(entries.count == 1, "a runner is no process of a plugin: \(entries.map(\.message))")
        }
    }
}
