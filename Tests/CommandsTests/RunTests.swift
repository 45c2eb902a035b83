// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("bgtask run submits missing requests, and with --wait exits with the outcome of the task")
struct RunTests {
    private static let task = "com.example.feed.refresh"

    private static func json(_ body: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(body), as: UTF8.self)
    }

    /// A host on which submission 12 of the task is pending or, when `isPending` is false, is submitted by the command.
    ///
    /// - Parameter events: the events of the submission that the journal streams.
    private static func behaviour(isPending: Bool = true, events: [String] = []) throws -> StubHost.Behaviour {
        let identifier = try Samples.task()
        let plugin = try Samples.plugin()
        let number = SubmissionNumber(rawValue: 12)
        let pending = TaskWhyReply(
            identifier: identifier,
            plugin: plugin,
            state: .pending,
            kind: .refresh,
            submission: number,
            isEligible: true
        )
        let idle = TaskWhyReply(
            identifier: identifier,
            plugin: plugin,
            state: .unknown,
            schedule: .init(plugin: plugin, kind: .refresh, rhythm: "every 6h")
        )
        let why = try json(isPending ? pending : idle)
        let submitted = try json(TaskSubmissionReply(number, plugin: plugin, identifier: identifier, replacing: nil))
        let launching = try json(RunReply(launching: [LaunchNumber(rawValue: 41)]))
        let refused = try json(RouteError(.notLaunching, "no request is pending").reply)
        let page = try json(JournalReply(entries: [], last: 5))
        let lines = try events.enumerated().map { index, event in
            try json(
                JournalLine(
                    number: Int64(6 + index),
                    at: Samples.now,
                    event: event,
                    plugin: plugin,
                    launch: LaunchNumber(rawValue: 41),
                    task: identifier.text,
                    submission: number,
                    blame: .nobody,
                    message: "entry \(index)"
                )
            ) + "\n"
        }
        let logs = try json(LogReply(lines: [try Samples.logLine()]))
        return { request in
            switch (request.method, request.path) {
            case ("POST", "/v1/run"):
                isPending ? .body(status: 200, launching) : .body(status: 409, refused)
            case ("POST", "/v1/tasks"): .body(status: 201, submitted)
            case (_, let path) where path.hasPrefix("/v1/logs") && path.contains("follow"): .stream([], .never)
            case (_, let path) where path.hasPrefix("/v1/logs"): .body(status: 200, logs)
            case (_, let path) where path.contains("follow"): .stream(lines, .never)
            case (_, let path) where path.hasPrefix("/v1/journal"): .body(status: 200, page)
            default: .body(status: 200, why)
            }
        }
    }

    @Test func `a task with a pending request is launched by one call`() async throws {
        try await StubHost.with(try Self.behaviour()) { host in
            let terminal = Terminal()
            #expect(await terminal.run("run", Self.task, "--socket", host.socket) == .done)
            #expect(terminal.output == "launch 41 is starting, or already runs and takes the task\n")
            #expect(host.requests.map(\.path) == ["/v1/run"])
        }
    }

    @Test func `a task without a pending request gets one of its schedule's kind`() async throws {
        try await StubHost.with(try Self.behaviour(isPending: false)) { host in
            let terminal = Terminal()
            #expect(await terminal.run("run", Self.task, "--socket", host.socket) == .done)
            #expect(terminal.output.hasPrefix("submission 12 of \(Self.task) is pending"), "\(terminal.output)")
            #expect(terminal.output.contains("it is launched already"))
            let submission = try #require(host.requests.first { $0.path == "/v1/tasks" })
            #expect(submission.body.contains(#""kind":"refresh""#))
        }
    }

    @Test(arguments: [
        (["succeeded"], Commands.ExitStatus.done), (["no-data"], .done), (["retrying", "failed"], .taskFailed),
        (["not-registered"], .taskFailed), (["expired"], .taskExpired), (["overran"], .taskExpired),
        (["crashed", "consumed"], .taskExpired), (["crashed", "abandoned"], .taskAbandoned),
        (["cancelled"], .taskCancelled), (["replaced"], .taskCancelled),
        (["interrupted", "superseded"], .taskCancelled),
    ])
    func `run --wait exits with the status of the last event of the submission`(
        events: [String],
        status: Commands.ExitStatus
    ) async throws {
        try await StubHost.with(try Self.behaviour(events: events)) { host in
            let terminal = Terminal()
            #expect(await terminal.run("run", Self.task, "--wait", "--socket", host.socket) == status)
            for event in events { #expect(terminal.output.contains("\(Self.task): \(event) in launch 41: entry")) }
            #expect(terminal.error.isEmpty == (status == .done))
            // The lines that the log has at the end.
            let line = try Samples.logLine().text
            #expect(terminal.output.contains("LEVEL") && terminal.output.contains(line))
        }
    }

    @Test func `run --wait --json prints journal entries and log lines, one JSON object per line`() async throws {
        try await StubHost.with(try Self.behaviour(events: ["succeeded"])) { host in
            let terminal = Terminal()
            #expect(await terminal.run("run", Self.task, "--wait", "--json", "--socket", host.socket) == .done)
            let lines = terminal.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        }
    }

    @Test func `run --wait --timeout exits with a status of its own when the task has not ended`() async throws {
        try await StubHost.with(try Self.behaviour()) { host in
            let terminal = Terminal()
            let call = ["run", Self.task, "--wait", "--timeout", "10s", "--socket", host.socket]
            #expect(await terminal.run(list: call) == .timedOut)
            #expect(terminal.pauses == [.seconds(10)])
            #expect(terminal.error.contains("has not ended after 10s; it continues"))
        }
    }

    @Test(arguments: [
        (["a.b", "a.c", "--wait"], "--wait is for one task"),
        (["a.b", "a.c", "--payload", "-"], "--payload is for one task"),
        (["a.b", "--timeout", "10s"], "give --wait as well"), (["a.b", "--kind", "continued"], "needs a title"),
        (["a.b", "--wait", "--timeout", "0s"], "is not a duration above zero"),
        (["a.b", "--wait", "--timeout", "5"], "is not a duration above zero"),
    ])
    func `run refuses conflicting options`(arguments: [String], message: String) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["run"] + arguments + ["--socket", "/nowhere"]) == .misuse)
        #expect(terminal.error.contains(message), "\(terminal.error)")
    }

    @Test func `a pause that the line of a submission names is not printed again`() throws {
        let pause = WaitingReason(.pluginPaused(try Samples.plugin(), Samples.pause), at: Samples.moment)
        let submission = TaskSubmissionReply(
            SubmissionNumber(rawValue: 12),
            plugin: try Samples.plugin(),
            identifier: try Samples.task(),
            replacing: nil,
            waiting: [pause]
        )
        let reader = Reader(now: Samples.now, timeZone: .gmt)
        let report = RunReport(submitted: [submission], run: RunReply(launching: [], waiting: [pause]))
        #expect(report.text(for: reader) == submission.text(for: reader))
        let pending = RunReport(run: RunReply(launching: [], waiting: [pause]))
        #expect(pending.text(for: reader).hasPrefix("a requested task waits for plugin-paused"))
    }
}
