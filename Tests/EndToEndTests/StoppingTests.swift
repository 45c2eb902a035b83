// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import Testing

@Suite("An ordered stop of the host loses no request and charges no attempt", .proves("C3"))
struct StoppingTests {
    private static let deaf = TestPlugin("Deaf")

    @Test func `a task that a stopping host kills at the end of the grace period runs again and is not charged`()
        async throws
    {
        try await HostFixture.with(plugins: [Self.deaf]) { host in
            let submission = try await host.submit(Self.deaf.task())
            try await host.waitForLog("that it runs") { $0.contains("deaf runs") && $0.contains("attempt 1") }
            try await host.stop()
            #expect(host.log.contains { $0.contains("deaf expired, reason 8") })
            #expect(host.runnerProcesses().isEmpty)

            try await host.restart()
            let end = try await host.outcome(of: submission)
            #expect(end.event == "interrupted" && end.blame == "host" && end.message.contains("no attempt charged"))
            try await host.waitForLog("that it runs again") { $0.contains("deaf runs") && $0.contains("attempt 1") }
            let launch = try await host.client.launches(limit: 1).launches.first
            #expect(launch?.cause == "relaunch")
        }
    }

    @Test func `a task that completes during the host's stop does not run again`() async throws {
        let patient = TestPlugin("Patient", tasks: ["one"])
        try await HostFixture.with(HostSetup(["grace-period": "30s"]), plugins: [patient]) { host in
            let submission = try await host.submit(patient.task())
            try await host.waitForLog("that it runs") { $0.contains("patient runs") }
            try await host.stop()
            try await host.restart()
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && end.message.contains("host shutting down"))
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test func `an entry interrupted by the host's stop is not charged`() async throws {
        let plugin = TestPlugin("LoopInEntry")
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.waitForLog("that its entry runs") { $0.contains("entry runs") }
            try await host.stop()
            try await host.restart()
            let end = try await host.started(plugin)
            #expect(end.event == "interrupted" && end.blame == "host", "\(end)")
            #expect(end.message.contains("no attempt charged"), "\(end)")
        }
    }

    @Test func `the signal SIGHUP stops a host that runs in a terminal in order`() async throws {
        try await ScratchDirectory.with { directory in
            let arguments = try Self.arguments(in: directory)
            try await PseudoTerminal.with(columns: 200, rows: 24) { terminal in
                let environment = ProcessInfo.processInfo.environment
                let host = try await terminal.start(BuiltProgram.host.path(), arguments, environment: environment)
                try await terminal.wait(for: "that it serves") { $0.contains("serving") }
                host.signal(SIGHUP)
                #expect(try await host.ending() == .exited(0))
                try await terminal.wait(for: "that it stops") { $0.contains("stopping") }
            }
        }
    }

    @Test func `a host started with SIGHUP ignored continues to serve after SIGHUP`() async throws {
        try await ScratchDirectory.with { directory in
            let host = try await Self.hostIgnoringHangup(in: directory)
            let process = try String(contentsOfFile: "/proc/\(host.pid)/status", encoding: .utf8)
            let ignored = try #require(process.firstMatch(of: /SigIgn:\s*([0-9a-f]+)/)?.1)
            #expect(try #require(UInt64(ignored, radix: 16)) & 1 << UInt64(SIGHUP - 1) != 0)
            host.signal(SIGHUP)
            let status = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["host", "status", "--socket", directory.file("s")]
            )
            #expect(status.status == 0)
            #expect(!host.standardError.elements.contains { $0.contains("stopping") })
            host.signal(SIGTERM)
            #expect(try await host.ending() == .exited(0))
        }
    }

    private static func arguments(in directory: ScratchDirectory) throws -> [String] {
        for name in ["manifests", "packages", "plugins"] { try directory.makeDirectory(name) }
        return [
            "--manifests", directory.file("manifests"), "--package-manifests", directory.file("packages"),
            "--plugin-directory", directory.file("plugins"), "--state-directory", directory.file("state"), "--socket",
            directory.file("s"), "--config", try directory.write([], to: "none.yaml"), "--plugin-users", "host",
        ]
    }

    /// A serving host that was started with SIGHUP ignored, as by `nohup`.
    private static func hostIgnoringHangup(in directory: ScratchDirectory) async throws -> ChildProcess {
        let host = try await ChildProcess.start(
            "/bin/sh",
            ["-c", "trap '' HUP; exec \"$@\"", "sh", BuiltProgram.host.path()] + arguments(in: directory)
        )
        try await host.errorLine("that it serves") { $0.contains("serving") }
        return host
    }

    @Test func `the service manager is notified when the host serves and when it stops`() async throws {
        try await HostFixture.with { host in
            #expect(host.notifications.contains("READY=1") && !host.notifications.contains("STOPPING=1"))
            try await host.stop()
            #expect(host.notifications.contains("STOPPING=1"))
        }
    }

    @Test(.proves(38)) func `pending requests survive a restart of the host with payload and conditions`() async throws
    {
        let plugin = TestPlugin("Resubmits")
        try await HostFixture.with(HostSetup(["network": "false"]), plugins: [plugin]) { host in
            // The payload is the number of resubmissions: none.
            let waiting = try await host.submit(plugin.task(), requiresNetwork: true, payload: [0])
            try await host.stop()
            try await host.restart()
            #expect(try await host.client.tasks().pending.map(\.submission) == [waiting])
            try await host.stop()
            try await host.restart(with: ["network": "true"])
            #expect(try await host.outcome(of: waiting).event == "succeeded")
            #expect(host.containerText(plugin, "ran.txt") == "0\n")
        }
    }
}
