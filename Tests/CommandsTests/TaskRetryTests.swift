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
            #expect(terminal.output == line + "12: " + line)
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

    @Test func `a refused retry does not end those of the other subjects`() async throws {
        let refusal = RouteError(.notRetryable, "a.b has a pending request, submission 3", remedy: "run it now")
        let answer = String(decoding: try WireCoding.encode(refusal.reply), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: refusal.status, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("task", "retry", "a.b", "a.c", "--socket", host.socket) == .refused)
            #expect(host.requests.count == 2 && terminal.error.contains("refused: 2 of 2"))
        }
    }

    /// A host with these newest runs: a failed and a succeeded one, and a failed one whose request is pending again.
    private func withRuns(_ body: (StubHost, [String]) async throws -> Void) async throws {
        let work = String(decoding: try WireCoding.encode(try Samples.taskList()), as: UTF8.self)
        let runs = [
            try run(44, "com.example.feed.import", .failed), try run(43, "com.example.feed.clean", .succeeded),
            try run(42, "com.example.feed.refresh", .failed), try run(41, "com.example.feed.clean", .failed),
        ]
        let launches = String(decoding: try WireCoding.encode(LaunchListReply(launches: runs)), as: UTF8.self)
        let reply = TaskSubmissionReply(
            SubmissionNumber(rawValue: 14),
            plugin: try Samples.plugin(),
            identifier: try #require(TaskIdentifier("com.example.feed.import")),
            replacing: nil
        )
        let answer = String(decoding: try WireCoding.encode(reply), as: UTF8.self)
        try await StubHost.with({ request in
            if request.method == "POST" { return .body(status: 201, answer) }
            return .body(status: 200, request.path.hasPrefix("/v1/launches") ? launches : work)
        }) { try await body($0, ["--socket", $0.socket]) }
    }

    private func run(_ launch: Int64, _ task: String, _ outcome: TaskOutcome) throws -> LaunchReply {
        LaunchReply(
            launch: LaunchNumber(rawValue: launch),
            plugin: try Samples.plugin(),
            lane: .background,
            cause: .due,
            pid: 4711,
            startedAt: Samples.now,
            budget: nil,
            gracePeriod: .seconds(5),
            used: nil,
            end: Samples.launchEnd,
            manifestDigest: "cd34",
            tasks: [
                .init(
                    task: task,
                    kind: .processing,
                    submission: SubmissionNumber(rawValue: launch),
                    outcome: outcome,
                    submittedAt: Samples.now
                )
            ],
            assertions: nil,
            isStopping: nil
        )
    }

    private func retries(of host: StubHost) -> [String] { host.requests.filter { $0.method == "POST" }.map(\.path) }

    @Test func `task retry with filters lists and submits the failed tasks again after a confirmation`()
        async throws
    {
        try await withRuns { host, socket in
            let retry = ["task", "retry", "--plugin", "com.example.feed"] + socket
            let listed = Terminal()
            #expect(await listed.run(list: retry + ["--dry-run"]) == .done)
            #expect(listed.output.contains("com.example.feed.import") && listed.output.contains("failed"))
            #expect(!listed.output.contains("com.example.feed.clean"), "its last run succeeded")
            #expect(!listed.output.contains("com.example.feed.refresh"), "a request of it is pending")
            #expect(await Terminal().run(list: retry, answering: "n") == .refused)
            #expect(await Terminal().run(list: retry) == .misuse)
            #expect(retries(of: host).isEmpty)
            let terminal = Terminal()
            #expect(await terminal.run(list: retry, answering: "y") == .done)
            #expect(terminal.output.contains("submission 14 of com.example.feed.import"))
            #expect(retries(of: host) == ["/v1/tasks/com.example.feed.import/retry"])
        }
    }

    @Test(arguments: [["--outcome", "abandoned"], ["--kind", "refresh"], ["--until", "2h ago"]])
    func `task retry with filters that select nothing submits nothing and exits with 1`(filter: [String]) async throws {
        try await withRuns { host, socket in
            let terminal = Terminal()
            #expect(await terminal.run(list: ["task", "retry", "--yes"] + filter + socket) == .refused)
            #expect(terminal.error.contains("nothing to retry") && retries(of: host).isEmpty)
        }
    }

    @Test(arguments: [[], ["no..dot"], ["0"], ["a.b", "--plugin", "a.b"], ["--outcome", "succeeded"]])
    func `task retry refuses missing and malformed subjects`(subjects: [String]) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["task", "retry"] + subjects + ["--socket", "/nowhere"]) == .misuse)
        #expect(!terminal.error.isEmpty)
    }
}
