// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("Commands change what filters select only after a confirmation")
struct BulkTests {
    /// A host with the work of `Samples.taskList()`, which accepts every change.
    private func with(_ body: (StubHost, [String]) async throws -> Void) async throws {
        let list = String(decoding: try WireCoding.encode(try Samples.taskList()), as: UTF8.self)
        try await StubHost.with({ request in
            switch request.method {
            case "GET": .body(status: 200, list)
            case "DELETE": .body(status: 200, #"{"cancelled":true}"#)
            default: .body(status: 200, #"{"launch":42,"cancelled":false}"#)
            }
        }) { host in try await body(host, ["--socket", host.socket]) }
    }

    private func changes(of host: StubHost) -> [String] {
        host.requests.filter { $0.method != "GET" }.map { "\($0.method) \($0.path)" }
    }

    @Test func `task cancel with filters prints and cancels the pending requests after a confirmation`() async throws {
        try await with { host, socket in
            let terminal = Terminal()
            let cancel = ["task", "cancel", "--plugin", "com.example.feed"] + socket
            #expect(await terminal.run(list: cancel, answering: "n") == .refused)
            #expect(changes(of: host).isEmpty)
            #expect(terminal.output.contains("PENDING") && !terminal.output.contains("RUNNING"))
            #expect(await Terminal().run(list: cancel) == .misuse)
            #expect(await Terminal().run(list: cancel + ["--dry-run"]) == .done)
            #expect(changes(of: host).isEmpty)
            #expect(await Terminal().run(list: cancel, answering: "y") == .done)
            #expect(await Terminal().run(list: cancel + ["--yes"]) == .done)
            let call = "DELETE /v1/tasks/com.example.feed.refresh"
            #expect(changes(of: host) == [call, call])
        }
    }

    @Test func `task stop with filters stops the running tasks, one line of JSON for each`() async throws {
        try await with { host, socket in
            let terminal = Terminal()
            let stop = ["task", "stop", "--state", "running", "--json"] + socket
            #expect(await terminal.run(list: stop) == .misuse)
            #expect(changes(of: host).isEmpty)
            let confirmed = Terminal()
            #expect(await confirmed.run(list: stop + ["--yes"]) == .done)
            #expect(
                changes(of: host) == [
                    "POST /v1/tasks/com.example.feed.refresh/stop", "POST /v1/tasks/com.example.feed.export.one/stop",
                ]
            )
            let lines = confirmed.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"launch\":42") })
            #expect(lines[1].contains("com.example.feed.export.one"))
        }
    }

    @Test func `filters that select nothing change nothing and exit with 1`() async throws {
        try await with { host, socket in
            let terminal = Terminal()
            let cancel = ["task", "cancel", "--reason", "disk-reserve", "--yes"] + socket
            #expect(await terminal.run(list: cancel) == .refused)
            #expect(terminal.error.contains("nothing to cancel") && changes(of: host).isEmpty)
        }
    }

    @Test func `plugin pause --all pauses each plugin that is not paused, after a confirmation`() async throws {
        let list = String(decoding: try WireCoding.encode(try Samples.pluginList()), as: UTF8.self)
        let paused = String(
            decoding: try WireCoding.encode(PluginPauseReply(try Samples.plugin(), Samples.pause)),
            as: UTF8.self
        )
        try await StubHost.with({ .body(status: 200, $0.method == "GET" ? list : paused) }) { host in
            let pause = ["plugin", "pause", "--all", "--socket", host.socket]
            #expect(await Terminal().run(list: pause) == .misuse)
            #expect(changes(of: host).isEmpty)
            let terminal = Terminal()
            #expect(await terminal.run(list: pause, answering: "yes") == .done)
            #expect(terminal.output.contains("PLUGIN") && terminal.output.contains("com.example.feed is paused"))
            #expect(changes(of: host) == ["POST /v1/plugins/com.example.feed/pause"])
            let resume = Terminal()
            #expect(await resume.run("plugin", "resume", "--all", "--yes", "--socket", host.socket) == .refused)
            #expect(resume.error == "bgtask: nothing to resume: no selected plugin is paused\n")
        }
    }

    @Test(arguments: [
        ["task", "cancel"], ["task", "stop"], ["task", "cancel", "a.b", "--plugin", "a.b"],
        ["task", "cancel", "a.b", "--dry-run"], ["plugin", "pause", "a.b", "--all"], ["plugin", "resume"],
    ])
    func `names together with filters, and neither of them, are misuse`(arguments: [String]) async {
        #expect(await Terminal().run(list: arguments) == .misuse)
    }
}
