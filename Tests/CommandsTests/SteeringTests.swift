// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("Plugin pause, plugin resume and launch stop send their arguments and print the reply")
struct SteeringTests {
    private func json(_ body: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(body), as: UTF8.self)
    }

    @Test(arguments: [["--for", "2h"], ["--until", "+2h"], ["--until", "2026-01-31T03:48:00Z"]])
    func `plugin pause sends the end of the pause to each plugin and prints it`(options: [String]) async throws {
        let answer = try json(PluginPauseReply(try Samples.plugin(), Samples.pause))
        let other = answer.replacing("com.example.feed", with: "com.example.mail")
        try await StubHost.with({ .body(status: 200, $0.path.contains("mail") ? other : answer) }) { host in
            let terminal = Terminal()
            let call = ["plugin", "pause", "com.example.feed", "com.example.mail", "--socket", host.socket]
            #expect(await terminal.run(list: call + options) == .done)
            let line = "com.example.feed is paused until 2026-01-31 03:48:00 (in 2h); its running launches continue\n"
            #expect(terminal.output == line + line.replacing("com.example.feed", with: "com.example.mail"))
            #expect(
                host.requests.map(\.path) == [
                    "/v1/plugins/com.example.feed/pause", "/v1/plugins/com.example.mail/pause",
                ]
            )
            #expect(host.requests.map(\.body).allSatisfy { $0 == #"{"until":"2026-01-31T03:48:00Z"}"# })
        }
    }

    @Test func `plugin resume prints whether each plugin was paused`() async throws {
        for (wasPaused, text) in [(true, "is resumed; its pending work may start"), (false, "was not paused")] {
            let answer = try json(PluginResumeReply(try Samples.plugin(), wasPaused: wasPaused))
            try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
                let terminal = Terminal()
                let call = ["plugin", "resume", "com.example.feed", "--socket", host.socket]
                #expect(await terminal.run(list: call) == .done)
                #expect(terminal.output == "com.example.feed \(text)\n")
                #expect(host.requests.map(\.path) == ["/v1/plugins/com.example.feed/resume"])
            }
        }
    }

    @Test func `plugin resume continues after a refused plugin, and prints one line of JSON for each`() async throws {
        let answer = try json(PluginResumeReply(try Samples.plugin(), wasPaused: true))
        let refusal = RouteError.noSuchPlugin("com.example.fed")
        let error = try json(refusal.reply)
        try await StubHost.with({ request in
            request.path.contains("fed/") ? .body(status: refusal.status, error) : .body(status: 200, answer)
        }) { host in
            let terminal = Terminal()
            let call = ["plugin", "resume", "com.example.fed", "com.example.feed", "--json", "--socket", host.socket]
            #expect(await terminal.run(list: call) == .refused)
            let lines = terminal.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].contains("no-such-plugin") && lines[1].contains("was_paused"))
            #expect(terminal.error.contains("refused: 1 of 2"))
        }
    }

    @Test func `launch stop prints the tasks that are being stopped`() async throws {
        let answer = try json(
            LaunchStopReply(LaunchNumber(rawValue: 41), tasks: ["com.example.feed.refresh", "trigger"])
        )
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("launch", "stop", "41", "--socket", host.socket) == .done)
            #expect(terminal.output == "launch 41 is being stopped: com.example.feed.refresh, trigger\n")
            #expect(host.requests.map(\.path) == ["/v1/launches/41/stop"])
        }
    }

    @Test(arguments: [
        (["pause"], "no plugin is named"), (["resume"], "no plugin is named"),
        (["pause", "a.b", "--for", "1h", "--until", "+1h"], "give one of them"),
        (["pause", "a.b", "--for", "0s"], "--for \"0s\" is not a duration above zero"),
        (["pause", "a.b", "--for", "-1h"], "is not a duration above zero"),
        (["pause", "a.b", "--until", "soon"], "is not a time"),
        (["pause", "a.b", "--until", "yesterday"], "--until is 2026-01-30 00:00:00"),
    ])
    func `plugin pause and plugin resume refuse missing and conflicting arguments`(
        arguments: [String],
        message: String
    ) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["plugin"] + arguments + ["--socket", "/nowhere"]) == .misuse)
        #expect(terminal.error.contains(message), "\(terminal.error)")
    }

    @Test func `the output of a trigger of a paused extension names the pause that blocks the event`() async throws {
        let reason = WaitingReason(.pluginPaused(try Samples.plugin(), Samples.pause), at: Samples.moment)
        let answer = try json(
            PluginTriggerReply(
                SubmissionNumber(rawValue: 14),
                plugin: try #require(PluginIdentifier("com.example.feed.keyboard")),
                waiting: [reason]
            )
        )
        try await StubHost.with({ _ in .body(status: 201, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("trigger", "com.example.feed.keyboard", "--socket", host.socket) == .done)
            let pause =
                "plugin-paused: plugin com.example.feed is paused by uid 1000; until 2026-01-31 03:48:00 (in 2h)"
            let event = "event 14 waits for delivery to com.example.feed.keyboard; it waits for \(pause)"
            #expect(terminal.output.hasPrefix(event), "\(terminal.output)")
        }
    }

    @Test func `the output of a submission for a paused plugin names the pause that blocks it`() async throws {
        let reason = WaitingReason(.pluginPaused(try Samples.plugin(), Samples.pause), at: Samples.moment)
        let answer = try json(RunReply(launching: [], waiting: [reason]))
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("run", "com.example.feed.refresh", "--socket", host.socket) == .done)
            let pause =
                "plugin-paused: plugin com.example.feed is paused by uid 1000; until 2026-01-31 03:48:00 (in 2h)"
            #expect(terminal.output.hasPrefix("a requested task waits for \(pause)"), "\(terminal.output)")
        }
    }
}
