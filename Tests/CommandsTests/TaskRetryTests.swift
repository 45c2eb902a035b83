// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("bgtask task retry sends each subject and prints the new submission")
struct TaskRetryTests {
    @Test func `task retry calls the route for each task and each submission`() async throws {
        let reply = TaskSubmissionReply(
            SubmissionNumber(rawValue: 14),
            plugin: try Samples.plugin(),
            identifier: try Samples.task(),
            replacing: nil
        )
        let answer = String(decoding: try WireCoding.encode(reply), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 201, answer) }) { host in
            let terminal = Terminal()
            let call = ["task", "retry", "com.example.feed.refresh", "12", "--socket", host.socket]
            #expect(await terminal.run(list: call) == .done)
            let line = "submission 14 of com.example.feed.refresh is pending for com.example.feed\n"
            #expect(terminal.output == line + line)
            #expect(
                host.requests.map { "\($0.method) \($0.path)" } == [
                    "POST /v1/tasks/com.example.feed.refresh/retry", "POST /v1/tasks/12/retry",
                ]
            )
        }
    }

    @Test func `a refused retry exits with 1 and prints the remedy`() async throws {
        let refusal = RouteError(.notRetryable, "a.b has a pending request, submission 3", remedy: "run it now")
        let answer = String(decoding: try WireCoding.encode(refusal.reply), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: refusal.status, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("task", "retry", "a.b", "--socket", host.socket) == .refused)
            #expect(terminal.error.contains("conflict (not-retryable): a.b has a pending request"))
            #expect(terminal.error.contains("remedy: run it now"))
        }
    }

    @Test(arguments: [[], ["no..dot"], ["0"]]) func `task retry refuses missing and malformed subjects`(
        subjects: [String]
    ) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["task", "retry"] + subjects + ["--socket", "/nowhere"]) == .misuse)
        #expect(!terminal.error.isEmpty)
    }
}
