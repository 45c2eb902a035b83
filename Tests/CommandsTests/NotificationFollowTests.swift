// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@testable import Commands

@Suite("bgtask notification follow prints alerts from the journal and the state of a host")
struct NotificationFollowTests {
    private func failure(_ number: Int64) throws -> JournalLine {
        let entry = JournalEntry(
            at: Samples.now,
            event: .task(.failed),
            plugin: try Samples.plugin(),
            launch: LaunchNumber(rawValue: 41),
            label: try Samples.task().text,
            submission: SubmissionNumber(rawValue: 12),
            blame: .plugin,
            message: "the server answered 503"
        )
        return JournalLine(number: number, entry)
    }

    private static func json(_ body: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(body), as: UTF8.self)
    }

    /// A host whose journal ends with `newest`, with the stream of one more entry.
    private func behaviour(newest: Int64, host: HostStatusReply) throws -> StubHost.Behaviour {
        let page = try Self.json(JournalReply(entries: [], last: newest))
        let line = try Self.json(try failure(newest + 1)) + "\n"
        let logs = try Self.json(LogReply(lines: [try Samples.logLine(3, text: "line 3")]))
        let state = try Self.json(host)
        return { request in
            if request.path.contains("follow=true") { return .stream([line], .never) }
            if request.path.hasPrefix("/v1/journal") { return .body(status: 200, page) }
            if request.path.hasPrefix("/v1/logs") { return .body(status: 200, logs) }
            return .body(status: 200, state)
        }
    }

    @Test func `a failed task is printed as one JSON object with its remedy and its log`() async throws {
        try await StubHost.with(try behaviour(newest: 8, host: Samples.host())) { host in
            let terminal = Terminal()
            let arguments = ["notification", "follow", "--socket", host.socket]
            #expect(await terminal.run(list: arguments, interruptedBy: "\n") == .done)
            let line = try #require(terminal.output.split(separator: "\n").first)
            let message = try JSONValue(parsing: Data(line.utf8))
            #expect(message["newest"]["message"] == .string("the server answered 503"))
            let remedy = "correct the cause, and submit the task again with bgtask task retry"
            #expect(
                message["newest"]["remedy"] == .string("\(remedy); read bgtask launch show 41 and bgtask logs 41")
            )
            #expect(message["logs"] == .array([.string("line 3")]))
            #expect(host.requests.contains { $0.path.contains("after=8&follow=true") })
        }
    }

    @Test func `a plugin that is not installed is named once, with the nearest one, and the host is followed on`()
        async throws
    {
        let plugins = try Self.json(try Samples.pluginList())
        let other = try behaviour(newest: 8, host: Samples.host())
        try await StubHost.with({ request in
            request.path.hasPrefix("/v1/plugins") ? .body(status: 200, plugins) : other(request)
        }) { host in
            let terminal = Terminal()
            let filter = ["--plugin", "com.example.fed", "--plugin", "com.example.feed"]
            let arguments = ["notification", "follow", "--socket", host.socket] + filter
            #expect(await terminal.run(list: arguments, interruptedBy: "\n") == .done)
            #expect(
                terminal.error == """
                    bgtask: no plugin com.example.fed is installed, and its alerts are reported after its \
                    installation; write "com.example.feed" if that plugin is meant

                    """
            )
        }
    }

    @Test func `the state file continues after the last handled entry`() async throws {
        try await ScratchDirectory.with { directory in
            let state = directory.file("state.json")
            try await StubHost.with(try behaviour(newest: 8, host: Samples.host())) { host in
                let arguments = ["notification", "follow", "--socket", host.socket, "--state", state]
                #expect(await Terminal().run(list: arguments, interruptedBy: "\n") == .done)
            }
            let ledger = LedgerState.failing(since: Samples.now, error: "no space left")
            try await StubHost.with(try behaviour(newest: 20, host: Samples.host(ledger: ledger))) { host in
                let terminal = Terminal()
                let arguments = ["notification", "follow", "--socket", host.socket, "--state", state]
                #expect(await terminal.run(list: arguments, interruptedBy: "ledger-failing") == .done)
                #expect(host.requests.contains { $0.path.contains("after=9&follow=true") })
            }
        }
    }

    @Test func `a file that is no state file is refused and kept`() async throws {
        try await ScratchDirectory.with { directory in
            let state = try directory.write("{}".utf8, to: "state.json")
            let terminal = Terminal()
            let status = await terminal.run("notification", "follow", "--socket", "/nowhere", "--state", state)
            #expect(status == .refused)
            #expect(terminal.error.contains("is not a state file of this command"))
            #expect(directory.text(of: "state.json") == "{}")
        }
    }

    @Test(arguments: [
        (["--exec", "true", "--webhook", "https://example.com"], "--exec and --webhook exclude each other"),
        (["--webhook", "ftp://example.com/a"], "write https://HOST/PATH"),
        (["--interval", "15parsecs"], "write it like 15min"), (["--timeout", "1h"], "from 1s to 10min"),
        (["--outcome", "fail"], "failed"), (["--exec", ""], "--exec is empty"),
    ])
    func `misuse of bgtask notification follow is refused with a remedy`(arguments: [String], remedy: String) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["notification", "follow"] + arguments) == .misuse)
        #expect(terminal.error.contains(remedy), "\(terminal.error)")
    }

    @Test func `a command gets the message on standard input, and its status decides about the delivery`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let file = directory.file("message")
            func run(_ command: String, timeout: Duration = .seconds(60)) async throws -> DeliveryQueue.Outcome {
                let program = AlertProgram(
                    command: command,
                    environment: ["PATH": "/usr/bin:/bin", "TARGET": file],
                    timeout: timeout
                )
                return try await program.run(Data("{\"format\":1}".utf8), ["BGTASK_PLUGIN": "com.example.feed"])
            }
            #expect(try await run("{ cat; echo \" $BGTASK_PLUGIN\"; } > \"$TARGET\"") == .delivered)
            #expect(directory.text(of: "message") == "{\"format\":1} com.example.feed\n")
            #expect(try await run("exit 3") == .failed("the command ended with status 3"))
            #expect(try await run("kill -TERM $$") == .failed("the command ended with status 143"))
            let late = try await run("sleep 600 & sleep 600", timeout: .milliseconds(50))
            #expect(late == .failed("the command took longer than 50ms"))
        }
    }
}
