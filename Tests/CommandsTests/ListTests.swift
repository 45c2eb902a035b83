// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostMonitor
import Synchronization
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("Lists of bgtask are filtered, sorted, limited and printed in several formats")
struct ListTests {
    private func json(_ body: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(body), as: UTF8.self)
    }

    private func launches(_ plugins: [String]) throws -> [LaunchReply] {
        try plugins.enumerated().map { index, plugin in
            LaunchReply(
                launch: LaunchNumber(rawValue: Int64(plugins.count - index)),
                plugin: try #require(PluginIdentifier(plugin)),
                lane: .background,
                cause: .due,
                pid: 7,
                startedAt: Samples.now + (.zero - .seconds(60 * index)),
                budget: .seconds(30),
                gracePeriod: .seconds(5),
                used: .seconds(index + 1),
                end: nil,
                manifestDigest: "",
                tasks: [],
                assertions: nil,
                isStopping: nil
            )
        }
    }

    @Test func `-o name prints the rows in the order of --sort and --reverse`() async throws {
        let plugins = ["a.c", "a.b", "a.d", "a.b"]
        for (arguments, numbers) in [
            ([], [4, 3, 2, 1]), (["--reverse"], [1, 2, 3, 4]), (["--sort", "plugin"], [3, 1, 4, 2]),
            (["--sort", "plugin", "--reverse"], [2, 4, 1, 3]), (["--sort", "used"], [4, 3, 2, 1]),
        ] {
            let answer = try json(LaunchListReply(launches: try launches(plugins)))
            try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
                let terminal = Terminal()
                let call = ["launch", "list", "-o", "name", "--socket", host.socket]
                #expect(await terminal.run(list: call + arguments) == .done)
                #expect(terminal.output == numbers.map { "\($0)\n" }.joined(), "\(arguments)")
            }
        }
    }

    @Test func `--limit and --skip print parts of a list, with the option that continues it`() async throws {
        let plugins = ["a.a", "a.b", "a.c", "a.d", "a.e"]
        let answer = try json(
            ScheduleListReply(
                schedules: try plugins.map { plugin in
                    .init(
                        plugin: try #require(PluginIdentifier(plugin)),
                        identifier: try #require(TaskIdentifier("\(plugin).x")),
                        kind: .refresh,
                        rhythm: "every 1h",
                        state: .idle
                    )
                }
            )
        )
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let call = ["schedule", "list", "-o", "name", "--limit", "2", "--socket", host.socket]
            let first = Terminal()
            #expect(await first.run(list: call) == .done)
            #expect(first.output == "a.a.x\na.b.x\n")
            #expect(first.error == "bgtask: 3 more; continue with: --skip 2\n")
            let last = Terminal()
            #expect(await last.run(list: call + ["--skip", "4"]) == .done)
            #expect(last.output == "a.e.x\n" && last.error.isEmpty)
            let filtered = Terminal()
            #expect(await filtered.run(list: call + ["--plugin", "a.d,a.e", "--plugin", "a.b"]) == .done)
            #expect(filtered.output == "a.b.x\na.d.x\n")
        }
    }

    @Test func `jsonl prints one object per row, and the tasks of all states have their state`() async throws {
        let answer = try json(try Samples.taskList())
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("task", "list", "-o", "jsonl", "--socket", host.socket) == .done)
            let states = try terminal.output.split(separator: "\n").map { line in
                guard case .object(let row) = try JSONValue(parsing: Data(line.utf8)),
                    case .string(let state)? = row["state"]
                else { throw CancellationError() }
                return state
            }
            #expect(states == ["running", "running", "pending", "event"])
            let pending = Terminal()
            let filters = ["--state", "pending,event", "--reason", "earliest-begin", "-o", "name"]
            #expect(await pending.run(list: ["task", "list", "--socket", host.socket] + filters) == .done)
            #expect(pending.output == "com.example.feed.refresh\n")
        }
    }

    @Test(arguments: [[], ["--json"], ["-o", "jsonl"], ["-o", "name"]])
    func `an empty list exits with 1 and a message on standard error, in every format`(format: [String]) async throws {
        let answer = try json(LaunchListReply(launches: []))
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run(list: ["launch", "list", "--socket", host.socket] + format) == .refused)
            #expect(terminal.error == "bgtask: no launch found\n")
            #expect(terminal.output.isEmpty == (format != ["--json"]))
        }
    }

    @Test(arguments: [
        (["--sort", "lunch"], "write \"launch\""), (["-o", "jsn"], "json"),
        (["--json", "-o", "name"], "different formats"),
        (["--skip", "-1"], "--skip"), (["--outcome", "crashd"], "write \"crashed\""), (["--lane", "a,b"], "continued"),
        (["--plugin", "a.b,"], "empty"), (["--since", "soon"], "yesterday"),
    ])
    func `an invalid option of a list is misuse, and its message names the rule`(
        arguments: [String],
        rule: String
    ) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["launch", "list"] + arguments) == .misuse)
        #expect(terminal.error.contains(rule), "\(terminal.error)")
    }

    @Test func `--watch prints a list again after a change, until Ctrl-C`() async throws {
        let answers = [["a.b"], ["a.b"], ["a.c", "a.b"]]
        let replies = try answers.map { try json(LaunchListReply(launches: try launches($0))) }
        let calls = CallCount()
        try await StubHost.with({ _ in .body(status: 200, replies[min(calls.next(), replies.count - 1)]) }) { host in
            let terminal = Terminal()
            let status = await terminal.run(
                list: ["launch", "list", "--watch", "-o", "name", "--socket", host.socket],
                interruptedBy: "2\n"
            )
            #expect(status == .done)
            #expect(terminal.output == "1\n2\n1\n")
            #expect(terminal.pauses.prefix(2) == [.seconds(2), .seconds(2)])
        }
    }

    @Test func `--watch cuts wide lines and leaves out lines below the terminal, without scrolling it`() {
        let text = "HEAD\n" + String(repeating: "x", count: 12) + "\nb\nc\n"
        let whole = WatchedList.picture(of: text, on: Screen.Size(columns: 80, rows: 24))
        #expect(whole == "\u{1b}[HHEAD\u{1b}[K\nxxxxxxxxxxxx\u{1b}[K\nb\u{1b}[K\nc\u{1b}[K\n\u{1b}[J")
        let small = WatchedList.picture(of: text, on: Screen.Size(columns: 10, rows: 4))
        #expect(small == "\u{1b}[HHEAD\u{1b}[K\nxxxxxxx...\u{1b}[K\n2 more ...\u{1b}[K\n\u{1b}[J")
    }

    @Test func `journal entries are selected by several values, an end and a text, and may be reversed`() async throws {
        let answer = try json(
            JournalReply(
                entries: [
                    try Samples.journalLine(5, message: "timed out"),
                    try Samples.journalLine(6, message: "Timed Out too"),
                    try Samples.journalLine(7, message: "other"),
                ],
                last: 7
            )
        )
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let call = ["journal", "-o", "name", "--socket", host.socket]
            let terminal = Terminal()
            #expect(await terminal.run(list: call + ["--grep", "TIMED", "--reverse"]) == .done)
            #expect(terminal.output == "6\n5\n")
            #expect(await Terminal().run(list: call + ["--until", "yesterday"]) == .refused)
            let before = host.requests.count
            #expect(await Terminal().run(list: call + ["--plugin", "a.b,a.c", "--blame", "host,plugin"]) == .done)
            let paths = host.requests.dropFirst(before).map(\.path)
            #expect(
                paths == [
                    "/v1/journal?limit=50&plugin=a.b&blame=host", "/v1/journal?limit=50&plugin=a.b&blame=plugin",
                    "/v1/journal?limit=50&plugin=a.c&blame=host", "/v1/journal?limit=50&plugin=a.c&blame=plugin",
                ]
            )
        }
    }

    @Test(arguments: [["--reverse"], ["--sort", "time"], ["--skip", "1"], ["--until", "now"]])
    func `journal --follow is refused with an option that needs an end`(arguments: [String]) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["journal", "--follow"] + arguments) == .misuse)
        #expect(terminal.error.contains(arguments[0]))
    }
}

@Suite("Tables fit the width of the terminal")
struct TableWidthTests {
    private var table: Table {
        var table = Table("LAUNCH", "PLUGIN", "MESSAGE")
        table.add("41", "com.example.feedreader", "the server did not answer within ten seconds")
        return table
    }

    @Test func `the widest column is cut first, and identifiers keep their ends`() {
        #expect(
            table.text(fitting: 60) == """
                LAUNCH  PLUGIN                  MESSAGE
                41      com.example.feedreader  the server did not answer...

                """
        )
        let narrow = table.text(fitting: 40).split(separator: "\n")
        #expect(narrow.allSatisfy { $0.count <= 40 })
        #expect(narrow.last == "41      ...e.feedreader  the server d...")
    }

    @Test func `a table without a width, or one that fits, has whole cells`() {
        #expect(table.text(fitting: nil) == table.text)
        #expect(table.text(fitting: 200) == table.text)
        #expect(table.text.contains("ten seconds"))
    }

    @Test func `columns keep twelve cells in a terminal that is too narrow for them`() {
        #expect(table.widths(fitting: 5) == [6, 12, 12])
    }
}

/// Counts the calls of a stub host.
private final class CallCount: Sendable {
    private let count = Mutex(0)

    /// The number of calls before this one.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count - 1
        }
    }
}
