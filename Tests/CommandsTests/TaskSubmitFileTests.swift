// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import Foundation
import Synchronization
import TaskModel
import Testing

@Suite("task submit --from submits the requests of a file")
struct TaskSubmitFileTests {
    private static let refusal = ErrorReply(
        code: "not-permitted",
        subReason: "identifier-not-permitted",
        message: "no plugin permits a.b",
        remedy: "write \"a.c\""
    )

    private static func line(_ number: Int) -> String { #"{"identifier": "a.task\#(number)", "kind": "refresh"}"# }

    /// The behaviour of a host that refuses the processing requests of a batch, and accepts the other ones.
    private static let host: StubHost.Behaviour = { request in
        let body = (try? JSONValue(parsing: Data(request.body.utf8))) ?? .null
        guard case .object(let members) = body, case .array(let requests)? = members["requests"] else {
            return .hangUp
        }
        let results = requests.enumerated().compactMap { index, value -> TaskBatchResult? in
            guard case .object(let members) = value, case .string(let name)? = members["identifier"],
                let task = TaskIdentifier(name), let plugin = PluginIdentifier("a.feed")
            else { return nil }
            if members["kind"] == .string("processing") { return .refused(refusal) }
            let number = SubmissionNumber(rawValue: Int64(index + 1))
            return .submitted(TaskSubmissionReply(number, plugin: plugin, identifier: task, replacing: nil))
        }
        let reply = (try? WireCoding.encode(TaskBatchReply(results: results))) ?? Data()
        return .body(status: 200, String(decoding: reply, as: UTF8.self))
    }

    private func submit(
        _ input: String,
        _ options: String...,
        to host: StubHost
    ) async -> (Terminal, Commands.ExitStatus) {
        let terminal = Terminal(input: input)
        let status = await terminal.run(list: ["task", "submit", "--from", "-", "--socket", host.socket] + options)
        return (terminal, status)
    }

    @Test func `task submit --from prints one line for each request of the file in order, and skips blank lines`()
        async throws
    {
        try await StubHost.with(Self.host) { host in
            let input = "\n\(Self.line(1))\r\n   \n\(Self.line(2))\n"
            let (terminal, status) = await submit(input, to: host)
            #expect(status == .done && terminal.error.isEmpty, "\(terminal.error)")
            #expect(
                terminal.output == """
                    submission 1 of a.task1 is pending for a.feed
                    submission 2 of a.task2 is pending for a.feed

                    """
            )
            #expect(host.requests.map(\.path) == ["/v1/tasks/batch"])
        }
    }

    @Test func `task submit --from reads a file`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = "\(directory.path)/requests.jsonl"
        try Data(Self.line(1).utf8).write(to: URL(filePath: file))
        try await StubHost.with(Self.host) { host in
            let terminal = Terminal()
            #expect(await terminal.run("task", "submit", "--from", file, "--socket", host.socket) == .done)
            #expect(terminal.output == "submission 1 of a.task1 is pending for a.feed\n")
        }
        let missing = Terminal()
        #expect(await missing.run("task", "submit", "--from", "\(file)x", "--socket", "/nowhere") == .misuse)
        #expect(missing.error.contains("--from \(file)x cannot be read"))
    }

    @Test func `task submit --from prints a refusal with its line number, and exits with 1 after the last line`()
        async throws
    {
        try await StubHost.with(Self.host) { host in
            let input = [Self.line(1), #"{"identifier": "a.b", "kind": "processing"}"#, Self.line(3)]
            let (terminal, status) = await submit(input.joined(separator: "\n\n"), to: host)
            #expect(status == .refused)
            #expect(
                terminal.output == """
                    submission 1 of a.task1 is pending for a.feed
                    line 3 is refused: not-permitted (identifier-not-permitted): no plugin permits a.b; \
                    remedy: write "a.c"
                    submission 3 of a.task3 is pending for a.feed

                    """
            )
            #expect(terminal.error == "bgtask: requests refused: 1 of 3\n")
        }
    }

    @Test func `task submit --from --json prints one JSON object per line`() async throws {
        try await StubHost.with(Self.host) { host in
            let input = [Self.line(1), #"{"identifier": "a.b", "kind": "processing"}"#].joined(separator: "\n")
            let (terminal, status) = await submit(input, "--json", to: host)
            #expect(status == .refused)
            let lines = terminal.output.split(separator: "\n")
            let results = try lines.map { try WireCoding.decode(TaskBatchResult.self, from: Data($0.utf8)) }
            guard case .submitted(let reply) = results.first else {
                Issue.record("\(terminal.output)")
                return
            }
            #expect(reply.identifier == "a.task1" && Array(results.dropFirst()) == [.refused(Self.refusal)])
        }
    }

    @Test func `task submit --from splits a file at 1,000 requests and at the maximum size of a body`() async throws {
        try await StubHost.with(Self.host) { host in
            let (terminal, status) = await submit((1...2_001).map(Self.line).joined(separator: "\n"), to: host)
            #expect(status == .done && terminal.output.split(separator: "\n").count == 2_001)
            let sizes = try host.requests.map { try TaskBatch.reading(Data($0.body.utf8)).requests.count }
            #expect(sizes == [1_000, 1_000, 1])
        }
        try await StubHost.with(Self.host) { host in
            let padding = String(repeating: " ", count: Route.taskSubmitBatch.maximumBody / 3)
            let (terminal, status) = await submit(
                (1...5).map { Self.line($0) + padding }.joined(separator: "\n"),
                to: host
            )
            #expect(status == .done && terminal.output.split(separator: "\n").count == 5)
            let sizes = try host.requests.map { try TaskBatch.reading(Data($0.body.utf8)).requests.count }
            #expect(sizes == [2, 2, 1])
            #expect(host.requests.allSatisfy { $0.body.utf8.count <= Route.taskSubmitBatch.maximumBody })
        }
    }

    @Test(arguments: ["{", "[]", "7", "hello", #"{"identifier": "a.b"} {}"#])
    func `task submit --from refuses a line that is no JSON object with its number, and sends nothing`(line: String)
        async throws
    {
        try await StubHost.with(Self.host) { host in
            let (terminal, status) = await submit("\(Self.line(1))\n\n\(line)\n", to: host)
            #expect(status == .misuse && terminal.output.isEmpty)
            #expect(terminal.error.contains("standard input, line 3 is not a JSON object"), "\(terminal.error)")
            #expect(host.requests.isEmpty)
        }
    }

    @Test func `task submit --from refuses a line that fits in no batch, and sends nothing`() async throws {
        try await StubHost.with(Self.host) { host in
            let long = Self.line(2) + String(repeating: " ", count: Route.taskSubmitBatch.maximumBody)
            let (terminal, status) = await submit("\(Self.line(1))\n\(long)", to: host)
            #expect(
                status == .misuse && terminal.error.contains("standard input, line 2 has "),
                "\(terminal.error.prefix(300))"
            )
            #expect(host.requests.isEmpty)
        }
    }

    @Test func `task submit --from of a file without requests sends nothing and exits with 0`() async throws {
        try await StubHost.with(Self.host) { host in
            let (terminal, status) = await submit("\n \n", to: host)
            #expect(status == .done && terminal.output.isEmpty && host.requests.isEmpty)
        }
    }

    @Test func `after a failed call, task submit --from prints the line from which no request is submitted`()
        async throws
    {
        let calls = Mutex(0)
        let body = try String(decoding: WireCoding.encode(Self.refusal), as: UTF8.self)
        let behaviour: StubHost.Behaviour = { request in
            let isFirst = calls.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? Self.host(request) : .body(status: 503, body)
        }
        for option in [[], ["--json"]] {
            calls.withLock { $0 = 0 }
            try await StubHost.with(behaviour) { host in
                let terminal = Terminal(input: (1...1_002).map(Self.line).joined(separator: "\n"))
                let status = await terminal.run(
                    list: ["task", "submit", "--from", "-", "--socket", host.socket] + option
                )
                #expect(status == .refused && terminal.output.split(separator: "\n").count == 1_000)
                #expect(terminal.error.contains("the requests from line 1001 on are not submitted"))
                #expect(terminal.error.contains("no plugin permits a.b"))
            }
        }
        try await StubHost.with({ _ in .hangUp }) { host in
            let (terminal, status) = await submit(Self.line(1), to: host)
            #expect(status == .unreachable && terminal.error.contains("the requests of lines 1 to 1 have no answer"))
        }
    }

    /// The behaviour of a host that is busy for the given calls, counted from 1.
    private static func busy(_ calls: some Sequence<Int> & Sendable) throws -> StubHost.Behaviour {
        let count = Mutex(0)
        let error = ErrorReply(code: "busy", subReason: "too-many-batches", message: "4 batches in progress")
        let body = try String(decoding: WireCoding.encode(error), as: UTF8.self)
        return { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return calls.contains(number) ? .body(status: 503, body) : host(request)
        }
    }

    @Test func `task submit --from repeats a call that a busy host refuses, after a second`() async throws {
        try await StubHost.with(Self.busy([2, 3])) { host in
            let (terminal, status) = await submit((1...1_001).map(Self.line).joined(separator: "\n"), to: host)
            #expect(status == .done && terminal.error.isEmpty, "\(terminal.error)")
            #expect(terminal.output.split(separator: "\n").count == 1_001)
            #expect(host.requests.count == 4 && terminal.pauses == [.seconds(1), .seconds(1)])
            #expect(Set(host.requests.dropFirst().map(\.body)).count == 1)
        }
    }

    @Test func `task submit --from gives up after 60 repetitions of a call that a busy host refuses`() async throws {
        try await StubHost.with(Self.busy(1...1_000)) { host in
            let (terminal, status) = await submit(Self.line(1), to: host)
            #expect(status == .refused && terminal.output.isEmpty)
            #expect(terminal.error.contains("the requests from line 1 on are not submitted"))
            #expect(terminal.error.contains("4 batches in progress"))
            #expect(host.requests.count == 61 && terminal.pauses.count == 60)
        }
    }

    @Test func `task submit --from prints the number of refused requests also before the error of a later call`()
        async throws
    {
        let calls = Mutex(0)
        let behaviour: StubHost.Behaviour = { request in
            let isFirst = calls.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? Self.host(request) : .hangUp
        }
        try await StubHost.with(behaviour) { host in
            let lines = [#"{"identifier": "a.b", "kind": "processing"}"#] + (2...1_001).map(Self.line)
            let (terminal, status) = await submit(lines.joined(separator: "\n"), to: host)
            #expect(status == .unreachable && terminal.error.contains("bgtask: requests refused: 1 of 1000\n"))
        }
    }

    @Test func `task submit --from counts blank lines in line numbers, and submits no request for them`() async throws {
        try await StubHost.with(Self.host) { host in
            let blank = String(repeating: "\n", count: 100_000)
            let (terminal, status) = await submit("\(blank)\(Self.line(1))\(blank){", to: host)
            #expect(status == .misuse && host.requests.isEmpty)
            #expect(terminal.error.contains("standard input, line 200001 is not a JSON object"), "\(terminal.error)")
            let (other, done) = await submit("\(blank)\(Self.line(1))\(blank)", to: host)
            #expect(done == .done && other.output == "submission 1 of a.task1 is pending for a.feed\n")
        }
    }

    @Test func `task submit refuses an answer to a batch with another number of results`() async throws {
        try await StubHost.with({ _ in .body(status: 200, #"{"results": []}"#) }) { host in
            let (terminal, status) = await submit(Self.line(1), to: host)
            #expect(status == .unreachable && terminal.error.contains("0 results for 1 requests"))
        }
    }

    @Test(arguments: [
        ["a.b"], ["--kind", "refresh"], ["--not-before", "+1h"], ["--needs-network"], ["--needs-external-power"],
        ["--protection", "complete"], ["--title", "x"], ["--subtitle", "x"], ["--strategy", "fail"], ["--needs-gpu"],
        ["--payload", "-"],
    ])
    func `task submit --from refuses each option of a single request, and names it`(options: [String]) async {
        let terminal = Terminal(input: Self.line(1))
        let status = await terminal.run(list: ["task", "submit", "--from", "-", "--socket", "/nowhere"] + options)
        let name = options[0].hasPrefix("--") ? options[0] : "<identifier>"
        #expect(status == .misuse && terminal.error.contains("\(name) describes one request"), "\(terminal.error)")
    }

    @Test func `task submit without identifier and without --from is refused, and names both`() async {
        let terminal = Terminal()
        #expect(await terminal.run("task", "submit", "--kind", "refresh") == .misuse)
        #expect(terminal.error.contains("<identifier> is missing") && terminal.error.contains("--from"))
    }
}
