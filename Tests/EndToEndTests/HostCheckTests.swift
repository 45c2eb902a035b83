// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("bgtask host check names each problem of a host and its remedy, and changes no file")
struct HostCheckTests {
    @Test func `bgtask host check finds no problem in a healthy stopped host`() async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            try await host.stop()
            let before = try host.stateFiles()
            let check = try await host.check()
            #expect(check.status == 0 && check.error.isEmpty && !check.output.contains("problem"), "\(check)")
            #expect(check.output.contains("its pages are intact") && check.output.contains("1 plugin is accepted"))
            #expect(try host.stateFiles() == before)
            try await host.start()
            try await host.runNeighbour()
        }
    }

    @Test func `bgtask host check names a running host and reports nothing about its ledger`() async throws {
        try await HostFixture.with { host in
            let check = try await host.check()
            #expect(check.status == 0, "\(check)")
            #expect(check.output.contains("a host (process \(host.pid)) uses "))
            #expect(check.output.contains("is served by process \(host.pid)"))
            #expect(!check.output.contains("ledger.sqlite"))
            try await host.runNeighbour()
        }
    }

    @Test func `bgtask host check --json reports its findings as JSON`() async throws {
        try await HostFixture.with { host in
            try await host.stop()
            chmod(host.stateDirectory, 0o777)
            let check = try await host.check("--json")
            #expect(check.status == 1 && check.error.contains("1 problem was found"), "\(check)")
            let reply = try JSONDecoder().decode(Reply.self, from: Data(check.output.utf8))
            #expect(reply.problems == 1 && !reply.isRunning && reply.stateDirectory == host.stateDirectory)
            let problem = try #require(reply.findings.first { $0.verdict == "problem" })
            #expect(
                problem.subject == "state-directory" && problem.message.contains("chmod go-w \(host.stateDirectory)")
            )
            chmod(host.stateDirectory, 0o700)
        }
    }

    @Test func `bgtask host check notes schedules and settings that the manifest does not contain`() async throws {
        var plugin = TestPlugin.neighbour
        plugin.tasks.append("albums.*")
        let (unknown, patterned) = ("\(plugin.identifier).nope", "\(plugin.identifier).albums.x")
        plugin.policy = [
            "settings: { tempoo: \"1\" }",
            "schedules: { \(unknown): { every: 1d }, \(patterned): { every: 1d }, \(plugin.task()): { every: 1d } }",
        ]
        try await HostFixture.with(plugins: [plugin]) { host in
            let check = try await host.check()
            let keys = "plugins.\(plugin.identifier)"
            #expect(check.status == 0 && check.output.contains("\(keys).settings.tempoo: the manifest has no setting"))
            let nearest = try await host.check()
            #expect(nearest.output.contains("write \"\(plugin.task())\" if that task is meant"))
            for task in [unknown, patterned] {
                #expect(check.output.contains("\(keys).schedules.\(task): the manifest does not permit"))
            }
            #expect(!check.output.contains("schedules.\(plugin.task()):") && !check.output.contains("albums.*"))
            try await host.waitForLog("the warning") { $0.contains("warning") && $0.contains("tempoo") }
        }
    }

    @Test func `bgtask host check notes a schedule whose kind needs a background mode that the manifest lacks`()
        async throws
    {
        var plugin = TestPlugin.neighbour
        plugin.modes = ["fetch"]
        plugin.policy = ["schedules: { \(plugin.task()): { every: 1d, kind: processing } }"]
        try await HostFixture.with(plugins: [plugin]) { host in
            let check = try await host.check()
            let key = "plugins.\(plugin.identifier).schedules.\(plugin.task())"
            #expect(check.status == 0)
            let note = "the manifest of the plugin does not have the background mode processing"
            #expect(check.output.contains("\(key): \(note)"))
            #expect(check.output.contains("or write kind: refresh, which the manifest permits"))
        }
    }

    @Test func `bgtask host check reports problems of configuration, files, runner, control group and socket at once`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.stop()
            let directory = host.directory
            try directory.write("grase-period: 5s\n".utf8, to: "broken.yaml")
            try directory.write("manifest: 1\nrole: boss\n".utf8, to: "manifests/Aaa.yaml")
            try directory.makeDirectory("state/containers/com.example.gone")
            try directory.makeDirectory("not-a-socket")
            chmod(host.stateDirectory + "/ledger/ledger.sqlite", 0o644)
            let check = try await host.check(
                "--config",
                directory.file("broken.yaml"),
                "--runner",
                directory.file("none"),
                "--cgroup",
                directory.path,
                "--plugin-directory",
                directory.file("nowhere"),
                "--socket",
                directory.file("not-a-socket")
            )
            chmod(host.stateDirectory + "/ledger/ledger.sqlite", 0o600)
            try directory.remove("state/containers/com.example.gone")
            #expect(check.status == 1)
            for part in [
                "\(directory.file("broken.yaml")):1:1: grase-period: is not a known key", "\"grace-period\"",
                "contains payloads, which are private to its owner",
                "containers/com.example.gone belongs to no known plugin", "manifests/Aaa.yaml:2", "boss",
                "\(directory.file("none")) does not exist; install bgtask-runner", "is not in a cgroup v2 hierarchy",
                "nowhere does not exist, so libraries are found only beside", "exists and is not a socket; remove it",
            ] { #expect(check.output.contains(part), "\(part)\n\(check.output)") }
        }
    }

    @Test func `a control socket whose queue is full counts as served, for bgtask host check and for a starting host`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.stop()
            let path = host.socket
            try? host.directory.remove("control.sock")
            let listening = try ListeningSocket(at: path)
            try listening.fill(at: path)
            let check = try await host.check()
            #expect(
                check.status == 1 && check.output.contains("\(path) is served by a process, which uses another")
            )
            let refusal = try await host.refusalToStart()
            #expect(refusal.contains("another process listens at \(path)"), "\(refusal)")
            withExtendedLifetime(listening) {}
            try host.directory.remove("control.sock")
            try await host.start()
        }
    }

    @Test func `bgtask host check reports leftovers of a purge, and the next host deletes them`() async throws {
        try await HostFixture.with { host in
            try await host.stop()
            try host.directory.makeDirectory("state/containers/.purged-com.example.gone/deep")
            let check = try await host.check()
            #expect(
                check.status == 0 && check.output.contains("rest of a purged container; the host deletes it"),
                "\(check)"
            )
            try await host.start()
            try await host.waitForLog("its end") { $0.contains("purged container deleted") }
            let left = try FileManager.default.contentsOfDirectory(atPath: host.stateDirectory + "/containers")
            #expect(left.allSatisfy { !$0.hasPrefix(".") })
        }
    }

    @Test func `leftovers of a killed host are reported by bgtask host check, but not as problems`() async throws {
        try await HostFixture.with(plugins: [.neighbour, TestPlugin("Patient", tasks: ["one"])]) { host in
            let patient = TestPlugin("Patient", tasks: ["one"])
            let submission = try await host.submit(patient.task())
            _ = try await host.launch(of: patient)
            host.kill9()
            _ = try await host.process?.ending()
            let before = try host.stateFiles()
            let check = try await host.check()
            #expect(check.status == 0, "\(check)")
            #expect(check.output.contains("running when the last host ended; the next host kills their leftover"))
            #expect(check.output.contains("was left by a host that has ended; the next host replaces it"))
            #expect(try host.stateFiles() == before)
            try await host.start()
            try host.release(patient)
            try await host.waitForJournal("its end") { $0.submission == submission && $0.event == "succeeded" }
        }
    }

    @Test func `bgtask host check on missing directories succeeds and creates none`() async throws {
        try await ScratchDirectory.with { directory in
            let places = ["manifests", "package-manifests", "plugin-directory", "state-directory"]
            let flags = places.flatMap { ["--\($0)", directory.file($0)] } + ["--socket", directory.file("s")]
            let check = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["host", "check", "--config", try directory.write([], to: "bgtaskd.yaml"), "--plugin-users", "host"]
                    + flags
            )
            #expect(check.status == 0, "\(check)")
            #expect(
                check.output.contains("\(directory.file("state-directory")) does not exist yet; the host creates it")
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["bgtaskd.yaml"])
        }
    }

    /// Runs `bgtask host check` with this configuration. The state directory does not exist.
    private func check(_ lines: [String]) async throws -> ProgramRun {
        try await ScratchDirectory.with { directory in
            let text = lines.map { $0 + "\n" }.joined() + "plugin-users: host\n"
            let file = try directory.write(text.utf8, to: "bgtaskd.yaml")
            let places = ["manifests", "package-manifests", "plugin-directory", "state-directory"]
            let flags = places.flatMap { ["--\($0)", directory.file($0)] } + ["--socket", directory.file("s")]
            return try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["host", "check", "--config", file] + flags
            )
        }
    }

    @Test func `bgtask host check reports a guarantee of isolation without which the host would refuse to start`()
        async throws
    {
        let refused = try await check(["isolation: [memory]", "cgroup: none"])
        #expect(refused.status == 1, "\(refused)")
        let message = "isolation requires the guarantee memory, which is not enforced: control groups are disabled"
        #expect(refused.output.contains(message), "\(refused)")
        let noted = try await check(["isolation: [memory]"])
        #expect(noted.status == 0 && noted.output.contains("control groups that the host creates"), "\(noted)")
        let enforced = try await check(["isolation: [privileges]", "cgroup: none"])
        #expect(enforced.status == 0 && enforced.output.contains("required guarantees are enforced"), "\(enforced)")
    }

    /// The JSON document of `host check`, as Documentation/Operators.md describes it.
    private struct Reply: Decodable {
        struct Finding: Decodable {
            let verdict: String
            let subject: String
            let message: String
        }

        let stateDirectory: String
        let isRunning: Bool
        let problems: Int
        let findings: [Finding]

        enum CodingKeys: String, CodingKey {
            case stateDirectory = "state_directory"
            case isRunning = "is_running"
            case problems
            case findings
        }
    }
}
