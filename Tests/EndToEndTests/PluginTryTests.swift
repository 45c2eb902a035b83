// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("bgtask plugin try runs one task without a host and shows all that it did")
struct PluginTryTests {
    private func run(_ plugin: TestPlugin, _ arguments: [String]) async throws -> ProgramRun {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("vendor")
            try directory.write(try await plugin.libraryBytes(), to: "vendor/lib\(plugin.name).so")
            let manifest = try directory.write(plugin.manifest.utf8, to: "vendor/\(plugin.name).yaml")
            return try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["plugin", "try", manifest] + arguments
            )
        }
    }

    private func report(_ plugin: TestPlugin, _ arguments: [String]) async throws -> (Int32, [String: Any]) {
        let run = try await run(plugin, arguments + ["--json"])
        let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return (run.status, try #require(report, "\(run.error)"))
    }

    @Test func `bgtask plugin try of a task that succeeds exits with 0 and shows its submissions and processor time`()
        async throws
    {
        let plugin = TestPlugin("SubmitsRefused", tasks: ["task", "one", "two"])
        let run = try await run(plugin, [plugin.task()])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.output.contains("outcome    succeeded: the plugin completed the task\n"))
        #expect(run.output.contains("submitted  com.example.submitsrefused.other (processing): not-permitted: "))
        #expect(run.output.contains("com.example.submitsrefused.one (refresh): accepted\n"))
        #expect(run.output.contains("com.example.submitsrefused.two (refresh): too-many-pending: "))
        #expect(run.output.contains("\ncpu "))
        #expect(run.error.contains("  completed: succeeded\n"))
    }

    @Test func `bgtask plugin try --simulate network-lost expires the task and reports that reason`() async throws {
        let plugin = TestPlugin("Obedient")
        let (status, report) = try await report(plugin, [plugin.task(), "--simulate", "network-lost"])
        #expect(status == 1)
        #expect(report["outcome"] as? String == "failed" && report["expired"] as? String == "network lost")
    }

    @Test func `bgtask plugin try --fence gives the task this fence, and refuses 0 and an event`() async throws {
        let plugin = TestPlugin("ReportsFence")
        let (status, report) = try await report(plugin, [plugin.task(), "--fence", "9"])
        let log = try #require(report["log"] as? [[String: String]])
        #expect(status == 0 && log.compactMap { $0["text"] } == ["\(plugin.task()): item 1, fence 9"])
        let zero = try await run(plugin, [plugin.task(), "--fence", "0"])
        #expect(zero.status == 2 && zero.error.contains("--fence 0 is no number of a claim"))
        let event = try await run(plugin, ["started", "--fence", "9"])
        #expect(event.status == 2 && event.error.contains("--fence has no effect on the event started"))
    }

    @Test func `bgtask plugin try reports a task that does not complete after its expiration as overran`() async throws
    {
        let plugin = TestPlugin("NeverCompletes")
        let times = ["--budget", "100ms", "--grace-period", "100ms"]
        let (status, report) = try await report(plugin, [plugin.task()] + times)
        #expect(status == 1)
        #expect(report["outcome"] as? String == "overran" && report["expired"] as? String == "budget used up")
    }

    @Test(arguments: [
        ("CrashInHandler", "crashed", "signal 11 (SIGSEGV)"), ("ExitZero", "exited", "exit status 0"),
        ("EntryFails", "entry-failed", "exit status 0"),
    ])
    func `bgtask plugin try of a task that crashes, exits or fails in entry exits with 1 and reports that outcome`(
        source: String,
        outcome: String,
        end: String
    ) async throws {
        let plugin = TestPlugin(source)
        let (status, report) = try await report(plugin, [plugin.task()])
        #expect(status == 1)
        #expect(report["outcome"] as? String == outcome && report["end"] as? String == end)
    }

    @Test func `bgtask plugin try reports violations with their rule`() async throws {
        let plugin = TestPlugin("CompletesForeign")
        let (status, report) = try await report(plugin, [plugin.task()])
        #expect(status == 0)
        let violations = try #require(report["violations"] as? [[String: Any]])
        #expect(violations.count == 4 && violations.allSatisfy { $0["rule"] as? String == "BGT-ABI-08" })
    }

    @Test func `bgtask plugin try runs the started event by its name`() async throws {
        let plugin = TestPlugin("ReceivesStarted")
        let (status, report) = try await report(plugin, ["started"])
        #expect(status == 0 && report["kind"] as? String == "event", "\(report)")
    }

    @Test
    func `bgtask plugin try refuses an identifier that the manifest does not permit, and names the permitted ones`()
        async throws
    {
        let plugin = TestPlugin("Obedient")
        let run = try await run(plugin, ["com.example.obedient.other"])
        #expect(run.status == 2)
        #expect(run.error.contains("is none of com.example.obedient.task, started, which"), "\(run.error)")
        #expect(run.error.contains("write \"com.example.obedient.task\", or add it to permitted-identifiers"))
        #expect(run.error.contains("\nUsage: bgtask plugin try "))
        #expect(run.error.hasSuffix("  See 'bgtask plugin try --help' for more information.\n"))
    }

    @Test func `bgtask plugin try runs an extension that only the configuration of a running host lists`()
        async throws
    {
        var main = TestPlugin("Neighbour")
        let child = TestPlugin.extension("Listens", of: &main)
        main.extensions = []
        main.policy = ["extensions: [\(child.identifier)]"]
        try await HostFixture.with(plugins: [main, child]) { host in
            let run = try await host.bgtask("plugin", "try", child.identifier, "trigger")
            #expect(run.status == 0, "\(run.error)")
            #expect(run.output.contains("succeeded: the plugin completed the task"), "\(run.output)")
        }
    }

    @Test func `bgtask plugin try leaves nothing in the temporary directory`() async throws {
        try await ScratchDirectory.with { directory in
            let plugin = TestPlugin("RegistersOnce")
            try directory.write(try await plugin.libraryBytes(), to: "libRegistersOnce.so")
            let manifest = try directory.write(plugin.manifest.utf8, to: "RegistersOnce.yaml")
            try directory.makeDirectory("tmp")
            var environment = ProcessInfo.processInfo.environment
            environment["TMPDIR"] = directory.file("tmp")
            let run = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["plugin", "try", manifest, plugin.task()],
                environment: environment
            )
            #expect(run.status == 0, "\(run.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp")) == [])
        }
    }

    @Test func `bgtask plugin try --keep leaves the container with the files of the task, and prints its path`()
        async throws
    {
        let plugin = TestPlugin("Recorder")
        let run = try await run(plugin, [plugin.task(), "--keep"])
        let message = #/the container is (\S+); delete it with its library: rm -r (\S+)/#
        let path = try #require(run.error.firstMatch(of: message))
        defer { try? FileManager.default.removeItem(atPath: String(path.2)) }
        #expect(path.1.hasPrefix("\(path.2)/"))
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: String(path.1))).isEmpty)
    }

    @Test func `bgtask plugin try prints the granted paths, and a hint about grants only after a refused path`()
        async throws
    {
        let crashing = TestPlugin("CrashInHandler")
        let crash = try await run(crashing, [crashing.task()])
        #expect(crash.error.contains("; granted paths: none outside of its container\n"), "\(crash.error)")
        #expect(!crash.error.contains("EACCES"), "\(crash.error)")
        var plugin = TestPlugin("LogsRefusedPath")
        let refused = try await run(plugin, [plugin.task()])
        #expect(refused.error.split(separator: "add the path to grants").count == 2, "\(refused.error)")
        plugin.grants = "read: [/usr/share, /nonexistent]"
        let granted = try await run(plugin, [plugin.task()])
        #expect(granted.error.contains("granted paths: /usr/share (read), /nonexistent (read)\n"), "\(granted.error)")
        #expect(granted.error.contains("/nonexistent (read) does not exist;") && !granted.error.contains("EACCES"))
    }

    @Test func `bgtask plugin try ends an endless continued task after --limit, and reports it as expired`()
        async throws
    {
        var plugin = TestPlugin("ProgressesForever", tasks: ["export.*"])
        plugin.modes = []
        let times = ["--budget", "200ms", "--limit", "200ms", "--grace-period", "100ms"]
        let (status, report) = try await report(plugin, ["com.example.progressesforever.export.one"] + times)
        #expect(status == 1)
        #expect(report["outcome"] as? String == "expired" && report["passed_limit_ns"] as? Int == 200_000_000)
    }

    @Test func `bgtask plugin try runs a task to success although its caller has the umask 077`() async throws {
        try await ScratchDirectory.with { directory in
            var plugin = TestPlugin("Conforms", tasks: ["refresh", "clean", "export.*"])
            plugin.settings = ["greeting": "hello"]
            try directory.write(try await plugin.libraryBytes(), to: "libConforms.so")
            let manifest = try directory.write(plugin.manifest.utf8, to: "Conforms.yaml")
            let run = try await ProgramRun.of(
                "/bin/bash",
                ["-c", "umask 077; \"$@\"", "bash", BuiltProgram.command.path(), "plugin", "try", manifest]
                    + [plugin.task("clean")]
            )
            #expect(run.status == 0, "\(run.error)")
        }
    }

    @Test func `bgtask plugin try runs a plugin with a main bundle in a bundle of the trial`() async throws {
        var plugin = TestPlugin.part("MainBundle", .swift6)
        plugin.manifestLines = ["main-bundle: { ServerURL: https://example.com }"]
        let run = try await run(plugin, [plugin.task("refresh"), "--kind", "refresh", "--keep"])
        #expect(run.status == 0, "\(run.error)")
        let place = try #require(run.error.firstMatch(of: /rm -r (\S+)/)).1
        defer { try? FileManager.default.removeItem(atPath: String(place)) }
        let notes = try String(contentsOfFile: "\(place)/containers/1/notes", encoding: .utf8)
        #expect(notes.contains("identifier com.example.colorfeed\n") && notes.contains("server https://example.com\n"))
    }
}
