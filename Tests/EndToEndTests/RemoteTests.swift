// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import Testing

@Suite("bgtask -H controls the hosts of other machines over ssh", .serialized)
struct RemoteTests {
    private static let plugin = TestPlugin("WritesStreams", tasks: ["one"])
    private static let task = plugin.task("one")

    private func withMachines(_ body: (RemoteMachines, [HostFixture]) async throws -> Void) async throws {
        try await HostFixture.with(HostSetup(["external-power": "false"]), plugins: [Self.plugin]) { first in
            try await HostFixture.with(HostSetup(["external-power": "false"]), plugins: [Self.plugin]) { second in
                try await ScratchDirectory.with { directory in
                    let machines = try await RemoteMachines(["alpha": first, "beta": second], in: directory)
                    try await body(machines, [first, second])
                }
            }
        }
    }

    @Test(.enabled(if: RemoteMachines.hasServer, "takes make sshd"))
    func `one command lists, runs and shows the logs of a task on two machines`() async throws {
        try await withMachines { machines, hosts in
            for host in hosts {
                try await host.started(Self.plugin)
                try host.release(Self.plugin)
            }
            let kind = ["--kind", "processing", "--needs-external-power"]
            let submitted = try await machines.bgtask(["-H", "alpha,beta", "task", "submit", Self.task] + kind)
            #expect(submitted.status == 0, "\(submitted.error)")
            let submissions = try await hosts.asyncMap {
                try #require(try await $0.client.tasks().pending.first?.submission)
            }

            let listed = try await machines.bgtask("-H", "alpha,beta", "task", "list")
            let lines = listed.output.split(separator: "\n")
            #expect(listed.status == 0 && lines.map { $0.prefix(6) } == ["alpha ", "alpha ", "beta  ", "beta  "])
            #expect(lines.filter { $0.contains(Self.task) }.count == 2)

            let run = try await machines.bgtask("-H", "alpha,beta", "--json", "run", Self.task)
            #expect(run.status == 0, "\(run.error)")
            for line in run.output.split(separator: "\n") {
                #expect(line.contains("launching") && line.contains("\"exit_status\":0"))
            }
            for (host, submission) in zip(hosts, submissions) {
                #expect(try await host.outcome(of: submission).event == "succeeded")
            }
            let logs = try await machines.bgtask("-H", "alpha,beta", "logs", Self.task, "--grep", "to stdout")
            #expect(logs.output.matches(of: /(?m)^(alpha|beta) .*to stdout$/).map(\.1) == ["alpha", "beta"])
        }
    }

    @Test(.enabled(if: RemoteMachines.hasServer, "takes make sshd"))
    func `bgtask -H exits with the highest status of several machines, or with that of a single one`() async throws {
        try await withMachines { machines, _ in
            let lost = try await machines.bgtask("-H", "lost,beta", "host", "status")
            #expect(
                lost.status == 3 && lost.output.contains("beta") && lost.error.contains("lost: ssh could not reach")
            )
            let refused = try await machines.bgtask("-H", "alpha,beta", "plugin", "show", "com.example.nope")
            #expect(refused.status == 1 && refused.error.contains("beta"))
            let one = try await machines.bgtask("-H", "beta", "plugin", "show", "com.example.nope")
            #expect(one.status == 1 && one.error.contains("com.example.nope"), "\(one.error)")
            #expect(try await machines.bgtask("-H", "beta", "plugin", "shwo").status == 2)
            let quoted = try await machines.bgtask("-H", "beta", "why", "it's $(id)")
            #expect(quoted.status == 2 && !quoted.error.contains("uid="))
        }
    }

    @Test(.enabled(if: RemoteMachines.hasServer, "takes make sshd"))
    func `Ctrl-C of a fan-out ends the commands on all machines`() async throws {
        try await withMachines { machines, hosts in
            let follower = try await ChildProcess.start(
                BuiltProgram.command.path(),
                ["-H", "alpha,beta", "journal", "--follow"],
                environment: machines.environment
            )
            for name in ["alpha", "beta"] {
                try await follower.outputLine("the journal of \(name)") {
                    $0.hasPrefix(name) && $0.contains("plugin-installed")
                }
            }
            follower.signal(SIGINT)
            #expect(try await follower.ending() == .exited(0))
            try await withDeadline(waitingFor: "the remote commands to end") {
                while hosts.contains(where: { Self.hasFollower($0.socket) }) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
    }

    /// Whether a command follows the journal of the host at a socket.
    private static func hasFollower(_ socket: String) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { Int($0) != nil }.contains { process in
            KernelFile.text("/proc/\(process)/environ").contains("BGTASK_SOCKET=\(socket)\0")
                && KernelFile.text("/proc/\(process)/cmdline").contains("--follow")
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
