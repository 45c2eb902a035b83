// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation
import TaskModel
import Testing

@testable import Commands

@Suite("Commands escape hostile text in their output")
struct TerminalSafetyTests {
    /// A text with C0 and C1 controls, DEL, changes of the writing direction, zero-width characters and tags, which
    /// commands have to escape in their output.
    private static let hostile = "\u{1b}[2J\u{7f}\u{9b}31m\u{9d}0;x\u{202e}\u{2066}\u{200b}\u{200f}\u{feff}\u{e0041}"

    /// The arguments of one call of every verb except `host run`, `page`, `notification follow` and those of `fleet`, by
    /// verb. Names of local files contain hostile text.
    private static let calls: [String: [String]] = [
        "run": ["a.b"], "why": ["a.b"], "trigger": ["a.b"], "journal": [], "logs": ["a.b"], "notification list": [],
        "watch": ["--once"],
        "task submit": ["a.b", "--kind", "refresh"], "task cancel": ["a.b"], "task stop": ["a.b"],
        "task retry": ["a.b"], "task cursor": ["a.b"], "task list": [],
        "plugin list": [], "plugin show": ["a.b"], "plugin check": ["/\(hostile).yaml"],
        "plugin inspect": ["/\(hostile).so"], "plugin install": ["/\(hostile).yaml"],
        "plugin pack": ["/\(hostile).yaml"], "plugin new": ["a.b\(hostile)", "--language", "c", "--role", "main"],
        "plugin remove": ["a.b", "--yes"], "plugin pause": ["a.b", "--for", "2h"], "plugin resume": ["a.b"],
        "plugin call": ["/\(hostile).so", "f\(hostile)"], "plugin try": ["/\(hostile).yaml", "a.b"],
        "push send": ["a.b"], "push token": ["a.b"],
        "push serve": ["--tls-certificate", "/\(hostile)", "--tls-key", "/\(hostile)", "--keys", "/\(hostile)"],
        "push key add": [
            "/\(hostile)", "--id", "ABCDE12345", "--team", "ABCDE12345", "--plugin", "a.b", "--keys", "/\(hostile)",
        ],
        "push key list": ["--keys", "/\(hostile)"], "push key remove": [hostile, "--keys", "/\(hostile)"],
        "launch list": [], "launch show": ["1"], "launch stop": ["1"], "schedule list": [], "schedule check": [hostile],
        "transfer list": [], "transfer show": ["1"], "transfer pause": ["1"], "transfer resume": ["1"],
        "transfer cancel": ["1"],
        "stats": ["a.b"], "metrics": ["--textfile", "/\(hostile)"],
        "simulate expiration": ["a.b"], "simulate conditions": ["--idle", "true"], "simulate forecast": [],
        "replay": ["day", "--count", "1", "--conditions", "/\(hostile)"], "host status": [], "host reload": [],
        "host check": ["--config", "/\(hostile)", "--state-directory", "/\(hostile)"],
        "host backup": ["/\(hostile)/b.tar", "--state-directory", "/\(hostile)"],
        "host restore": ["/\(hostile)/b.tar", "--state-directory", "/\(hostile)"],
        "trust list": ["--signers", "/\(hostile)"], "trust remove": [hostile, "--signers", "/\(hostile)"],
        "trust add": ["a.b", "/\(hostile)", "--signers", "/\(hostile)"],
    ]

    /// The verbs that take a host's socket and, apart from `watch`, `--json`.
    private static let remote = [
        "run", "why", "trigger", "journal", "logs", "notification list", "watch", "task submit", "task cancel",
        "task stop", "task retry",
        "task cursor", "task list", "push send", "push token",
        "plugin list", "plugin show", "plugin pause", "plugin resume", "launch list", "launch show", "launch stop",
        "schedule list", "simulate expiration", "simulate conditions", "simulate forecast", "host status",
        "host reload",
        "transfer list", "transfer show", "transfer pause", "transfer resume", "transfer cancel", "stats",
    ]

    @Test
    func
        `every verb of bgtask that ends and runs no other program has a call in the tests of terminal safety`()
    {
        func verbs(of command: any ParsableCommand.Type, after path: [String]) -> [String] {
            let children = command.configuration.subcommands
            if children.isEmpty { return [path.joined(separator: " ")] }
            return children.flatMap { verbs(of: $0, after: path + [$0.configuration.commandName ?? ""]) }
        }
        // `host run` and the verbs of `fleet` replace the process by another program; `page` and `notification follow`
        // run until they are interrupted.
        let all = Set(verbs(of: BgtaskCommand.self, after: []).filter { !$0.hasPrefix("fleet ") })
            .subtracting(["host run", "page", "notification follow"])
        #expect(all == Set(Self.calls.keys))
        #expect(Set(Self.remote).isSubset(of: all))
    }

    @Test(arguments: remote, [false, true])
    func `hostile text in a host's reply is escaped in the command's text and JSON`(verb: String, asJSON: Bool)
        async throws
    {
        let replies = try Dictionary(uniqueKeysWithValues: Route.allCases.map { ($0, try Self.reply(to: $0)) })
        try await StubHost.with({ request in
            if request.path.contains("follow") { return .stream([], .inOrder) }
            guard let (route, _) = Route.matching(method: request.method, path: request.path) else { return .hangUp }
            return .body(status: route.successStatus, replies[route] ?? "")
        }) { host in
            let terminal = Terminal()
            let options = asJSON && verb != "watch" ? ["--json"] : []
            let status = await terminal.run(list: Self.call(verb) + options + ["--socket", host.socket])
            #expect(status == .done, "\(terminal.error)")
            #expect(!terminal.output.isEmpty)
            Self.expectSafe(terminal)
        }
    }

    @Test(arguments: remote, [false, true])
    func `hostile text in a host's refusal is escaped in the command's message and JSON`(verb: String, asJSON: Bool)
        async throws
    {
        let error = ErrorReply(
            code: "c\(Self.hostile)",
            subReason: "s\(Self.hostile)",
            field: "f\(Self.hostile)",
            message: "m\(Self.hostile)",
            remedy: "r\(Self.hostile)"
        )
        let body = try #require(String(bytes: JSONEncoder().encode(error), encoding: .utf8))
        try await StubHost.with({ _ in .body(status: 409, body) }) { host in
            let terminal = Terminal()
            let options = asJSON && verb != "watch" ? ["--json"] : []
            _ = await terminal.run(list: Self.call(verb) + options + ["--socket", host.socket])
            #expect(!terminal.error.isEmpty)
            Self.expectSafe(terminal)
        }
    }

    @Test(arguments: [[], ["--json"]])
    func `hostile text in the results of a batch is escaped in the output of task submit --from`(options: [String])
        async throws
    {
        let reply = try Self.reply(to: .taskSubmitBatch)
        try await StubHost.with({ _ in .body(status: 200, reply) }) { host in
            let terminal = Terminal(input: "{}\n{}\n")
            let call = ["task", "submit", "--from", "-", "--socket", host.socket]
            #expect(await terminal.run(list: call + options) == .refused)
            #expect(!terminal.output.isEmpty)
            Self.expectSafe(terminal)
        }
    }

    @Test(arguments: ["-", "/\(hostile)"])
    func `hostile text in a file of requests and in its name is escaped in the messages of task submit --from`(
        file: String
    ) async {
        let terminal = Terminal(input: "{}\n\(Self.hostile)")
        #expect(await terminal.run("task", "submit", "--from", file, "--socket", "/nowhere") == .misuse)
        #expect(!terminal.error.isEmpty)
        Self.expectSafe(terminal)
    }

    @Test(arguments: calls.keys.sorted())
    func `hostile names of files, sockets and options are escaped in the messages of commands`(verb: String) async {
        let terminal = Terminal()
        let socket = Self.remote.contains(verb) ? ["--socket", "/\(Self.hostile)"] : []
        _ = await terminal.run(list: Self.call(verb) + socket)
        #expect(!terminal.error.isEmpty)
        Self.expectSafe(terminal)
        let misuse = Terminal()
        _ = await misuse.run(list: Self.call(verb) + ["--\(Self.hostile)", Self.hostile])
        #expect(!misuse.error.isEmpty)
        Self.expectSafe(misuse)
    }

    private static func call(_ verb: String) -> [String] {
        verb.split(separator: " ").map(String.init) + (calls[verb] ?? [])
    }

    private static func expectSafe(_ terminal: Terminal) {
        for text in [terminal.output, terminal.error] {
            let unsafe = text.unicodeScalars.filter { $0.isUnsafeInTerminal && $0 != "\n" && $0 != "\t" }
            #expect(unsafe.isEmpty, "\(unsafe.map { String($0.value, radix: 16) }): \(text)")
        }
    }

    /// The reply to a route, encoded without escapes, with hostile text in every string that may be any text.
    private static func reply(to route: Route) throws -> String {
        switch route {
        case .apiDescription: ""
        case .hostStatus: try hostile(Samples.host())
        case .backupReport: try hostile(BackupReportReply(incarnation: 1))
        case .hostReload: try hostile(HostReloadReply(file: "/f", applied: ["spacing"], needingRestart: ["socket"]))
        case .pluginList: try hostile(Samples.pluginList())
        case .pluginShow: try hostile(Samples.pluginShow())
        case .pluginPurge: ""
        case .pluginTrigger: try hostile(PluginTriggerReply(SubmissionNumber(rawValue: 1), plugin: Samples.plugin()))
        case .pluginPush:
            try hostile(PluginPushReply(SubmissionNumber(rawValue: 1), plugin: Samples.plugin(), state: .stored))
        case .pushTokenIssue: try hostile(PushTokenReply(try Samples.pushToken()))
        case .pushTokenRevoke: try hostile(PushTokenRevocationReply(Samples.plugin(), isRevoked: true))
        case .pushTokenCheck: try hostile(PushTokenCheckReply(.valid(Samples.plugin())))
        case .pluginPause:
            try hostile(PluginPauseReply(Samples.plugin(), Samples.pause))
        case .pluginResume: try hostile(PluginResumeReply(Samples.plugin(), wasPaused: true))
        case .launchStop: try hostile(LaunchStopReply(LaunchNumber(rawValue: 1), tasks: ["com.example.task"]))
        case .taskSubmit, .taskRetry:
            try hostile(
                TaskSubmissionReply(
                    SubmissionNumber(rawValue: 1),
                    plugin: Samples.plugin(),
                    identifier: Samples.task(),
                    replacing: nil
                )
            )
        case .taskSubmitBatch:
            try hostile(
                TaskBatchReply(results: [
                    .submitted(
                        TaskSubmissionReply(
                            SubmissionNumber(rawValue: 1),
                            plugin: Samples.plugin(),
                            identifier: Samples.task(),
                            replacing: nil
                        )
                    ),
                    .refused(ErrorReply(code: "c", subReason: "s", field: "f", message: "m", remedy: "r")),
                ])
            )
        case .taskCancel: try hostile(TaskCancellationReply(isCancelled: true))
        case .taskCursor:
            try hostile(
                TaskCursorReply(
                    StoredCursor(
                        plugin: Samples.plugin(),
                        identifier: Samples.task(),
                        cursor: TaskCursor(
                            bytes: Array("42".utf8),
                            version: "1.0",
                            movedAt: WallTime(nanoseconds: 0),
                            submission: SubmissionNumber(rawValue: 7)
                        )
                    )
                )
            )
        case .taskCursorClear: try hostile(TaskCursorClearReply(Samples.task(), of: Samples.plugin()))
        case .taskStop: try hostile(TaskStopReply(launch: nil))
        case .taskList: try hostile(Samples.taskList())
        case .taskWhy: try hostile(Samples.why())
        case .scheduleList: try hostile(Samples.scheduleList())
        case .launchList: try hostile(LaunchListReply(launches: [Samples.launch()]))
        case .launchShow: try hostile(Samples.launch(end: Samples.launchEnd, assertions: ["upload"]))
        case .transferList: try hostile(TransferListReply(transfers: [Samples.transfer()]))
        case .transferShow: try hostile(Samples.transfer())
        case .transferPause, .transferResume:
            try hostile(TransferPauseReply(SubmissionNumber(rawValue: 1), isPaused: true))
        case .transferCancel: try hostile(TransferCancellationReply(SubmissionNumber(rawValue: 1), isCancelled: true))
        case .journal: try hostile(JournalReply(entries: [Samples.journalLine()], last: 5))
        case .notificationList:
            try hostile(NotificationReply(notifications: [Samples.notification()], last: 5, oldest: 1))
        case .logs: try hostile(LogReply(lines: [Samples.logLine()]))
        case .stats: try hostile(Samples.stats())
        case .metrics: ""
        case .run: try hostile(RunReply(launching: [LaunchNumber(rawValue: 1)]))
        case .simulateExpiration: try hostile(ExpirationSimulationReply(launch: LaunchNumber(rawValue: 1)))
        case .simulateConditions: try hostile(Samples.conditions)
        case .forecast: try hostile(Samples.forecast())
        // No command prints these answers.
        case .capacity, .leaseList, .leaseShow, .leaseRenew, .leaseDelete: ""
        }
    }

    /// The reply as JSON, with hostile text after each string that the reply's type accepts with it.
    private static func hostile<Reply: Codable>(_ reply: Reply) throws -> String {
        var json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(reply))
        for path in paths(of: json, from: []) {
            let changed = try changing(json, at: path[...])
            let data = try JSONSerialization.data(withJSONObject: changed)
            if (try? JSONDecoder().decode(Reply.self, from: data)) != nil { json = changed }
        }
        let data = try JSONSerialization.data(withJSONObject: json)
        return try #require(String(bytes: data, encoding: .utf8))
    }

    /// The paths to all strings in `json`, each after the prefix `path`: keys of objects and indices of arrays.
    private static func paths(of json: Any, from path: [String]) -> [[String]] {
        if json is String { return [path] }
        if let members = json as? [String: Any] {
            return members.keys.sorted().flatMap { paths(of: members[$0] ?? "", from: path + [$0]) }
        }
        let elements = json as? [Any] ?? []
        return elements.indices.flatMap { paths(of: elements[$0], from: path + ["\($0)"]) }
    }

    private static func changing(_ json: Any, at path: ArraySlice<String>) throws -> Any {
        guard let key = path.first else { return "\(try #require(json as? String))\(hostile)" }
        if var members = json as? [String: Any] {
            members[key] = try changing(try #require(members[key]), at: path.dropFirst())
            return members
        }
        var elements = try #require(json as? [Any])
        let index = try #require(Int(key))
        elements[index] = try changing(elements[index], at: path.dropFirst())
        return elements
    }
}
