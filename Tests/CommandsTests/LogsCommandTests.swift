// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("bgtask logs prints what plugins wrote")
struct LogsCommandTests {
    private func page(_ lines: [LaunchLogLine]) throws -> StubHost.Answer {
        .body(status: 200, String(decoding: try WireCoding.encode(LogReply(lines: lines)), as: UTF8.self))
    }

    private func stream(_ ending: StubHost.Ending) throws -> StubHost.Answer {
        .stream(
            try ([3, 4] as [Int64]).map { number in
                let line = try Samples.logLine(number, text: "line \(number)")
                return String(decoding: try WireCoding.encode(line), as: UTF8.self) + "\n"
            },
            ending
        )
    }

    @Test func `bgtask logs prints the lines as a table, and sends every filter`() async throws {
        let page = try page([Samples.logLine()])
        try await StubHost.with({ _ in page }) { host in
            let terminal = Terminal()
            let arguments = [
                "logs", "com.example.feed.refresh", "--level", "warning", "--since", "1h", "--grep", "a b", "--limit",
                "7",
            ]
            #expect(await terminal.run(list: arguments + ["--socket", host.socket]) == .done)
            #expect(
                terminal.output == """
                    TIME      LAUNCH  LEVEL    STREAM  SUBJECT                   TEXT
                    01:48:00  41      warning  log     com.example.feed.refresh  the server answered 503

                    """
            )
            let path = try #require(host.requests.first?.path)
            #expect(path.hasPrefix("/v1/logs?limit=7&identifier=com.example.feed.refresh&level=warning&since="))
            #expect(path.hasSuffix("&grep=a%20b"))
        }
    }

    @Test(arguments: [("41", "launch=41"), ("a.b", "identifier=a.b")])
    func `a number selects a launch, and any other argument a task or plugin`(
        argument: String,
        query: String
    ) async throws {
        let page = try page([])
        try await StubHost.with({ _ in page }) { host in
            let terminal = Terminal()
            // As of every list, the status of an empty log is that of grep.
            #expect(await terminal.run("logs", argument, "--previous", "--socket", host.socket) == .refused)
            #expect(terminal.output.isEmpty && terminal.error == "bgtask: no log line found\n")
            #expect(host.requests.map(\.path) == ["/v1/logs?limit=100&\(query)&previous=true"])
        }
    }

    @Test(arguments: [
        ["--previous"], ["41", "--previous", "--follow"], ["0"], ["41", "--level", "loud"],
        ["41", "--follow", "--limit", "1001"], ["41", "--until", "soon"],
    ])
    func `conflicting and invalid options of bgtask logs are a misuse`(arguments: [String]) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["logs"] + arguments) == .misuse)
        #expect(!terminal.error.isEmpty)
    }

    @Test func `bgtask logs --follow of a launch ends with status 0 when the host ends the stream`() async throws {
        let stream = try stream(.inOrder)
        try await StubHost.with({ _ in stream }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("logs", "41", "--follow", "--socket", host.socket) == .done)
            #expect(
                terminal.output.hasSuffix(
                    "line 3\n01:48:00  41      warning  log     com.example.feed.refresh  line 4\n"
                )
            )
            #expect(host.requests.map(\.path) == ["/v1/logs?limit=100&follow=true&launch=41"])
        }
    }

    @Test func `bgtask logs --follow of a task exits with 3 when the host ends the stream`() async throws {
        let stream = try stream(.inOrder)
        try await StubHost.with({ _ in stream }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("logs", "a.b", "--follow", "--socket", host.socket) == .unreachable)
            #expect(terminal.error.hasPrefix("bgtask: the host at \(host.socket) is stopping and has closed the log\n"))
        }
    }

    @Test func `bgtask logs joins pages until the limit, with the cursor of each page`() async throws {
        let position = LogPosition(at: Samples.now, launch: LaunchNumber(rawValue: 41), number: 3)
        let newer = LogReply(lines: [try Samples.logLine(3, text: "newer")], next: position.text)
        let first = StubHost.Answer.body(status: 200, String(decoding: try WireCoding.encode(newer), as: UTF8.self))
        let second = try page([Samples.logLine(2, text: "older")])
        try await StubHost.with({ $0.path.contains("before=") ? second : first }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("logs", "--limit", "5", "--socket", host.socket) == .done)
            let lines = terminal.output.split(separator: "\n").dropFirst()
            #expect(lines.map { $0.hasSuffix("older") } == [true, false])
            #expect(host.requests.map(\.path) == ["/v1/logs?limit=5", "/v1/logs?limit=4&before=\(position.text)"])
        }
    }

    @Test func `launch show prints the last lines, and none for a caller whose role is too low`() async throws {
        let launch = String(decoding: try WireCoding.encode(try Samples.launch()), as: UTF8.self)
        let page = try page([Samples.logLine()])
        let error = RouteError.roleTooLow(.read, user: 1, for: .logs)
        let refusal = StubHost.Answer.body(
            status: error.status,
            String(decoding: try WireCoding.encode(error.reply), as: UTF8.self)
        )
        for (log, isShown) in [(page, true), (refusal, false)] {
            try await StubHost.with({ $0.path.hasPrefix("/v1/logs") ? log : .body(status: 200, launch) }) { host in
                let terminal = Terminal()
                #expect(await terminal.run("launch", "show", "41", "--socket", host.socket) == .done)
                #expect(terminal.output.hasSuffix("the server answered 503\n") == isShown)
                #expect(terminal.error.isEmpty)
            }
        }
    }
}
