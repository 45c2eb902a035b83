// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("Commands send their options and print the reply")
struct CommandTests {
    private func json(_ body: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(body), as: UTF8.self)
    }

    @Test func `bgtask host status --json prints the JSON of the API with sorted keys on standard output`() async throws
    {
        let answer = try json(Samples.host())
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("host", "status", "--json", "--socket", host.socket) == .done)
            let wanted = String(decoding: try WireCoding.encodeReadably(Samples.host()), as: UTF8.self)
            #expect(terminal.output == wanted + "\n")
            #expect(terminal.error.isEmpty)
        }
    }

    @Test func `bgtask task submit sends every option of a processing request`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let answer = try json(
            TaskSubmissionReply(
                SubmissionNumber(rawValue: 12),
                plugin: try Samples.plugin(),
                identifier: try Samples.task(),
                replacing: SubmissionNumber(rawValue: 9)
            )
        )
        let wanted = TaskRequest(
            identifier: try Samples.task(),
            kind: .processing,
            earliestBegin: Samples.now + .seconds(720),
            requiresNetwork: true,
            requiresExternalPower: true
        )
        try await StubHost.with({ _ in .body(status: 201, answer) }) { host in
            let terminal = Terminal()
            let status = await terminal.run(
                "task",
                "submit",
                "com.example.feed.refresh",
                "--kind",
                "processing",
                "--not-before",
                "02:00",
                "--needs-network",
                "--needs-external-power",
                "--payload",
                "/proc/sys/kernel/ostype",
                "--socket",
                host.socket
            )
            #expect(status == .done)
            let body = try json(TaskSubmission(wanted, payload: Array("Linux\n".utf8)))
            #expect(host.requests.map(\.body) == [body])
            #expect(
                terminal.output
                    == "submission 12 of com.example.feed.refresh is pending for com.example.feed, replacing submission 9\n"
            )
        }
    }

    @Test
    func `bgtask task submit --payload - reads standard input, and refuses more than the maximum size`() async throws {
        let answer = try json(
            TaskSubmissionReply(
                SubmissionNumber(rawValue: 12),
                plugin: try Samples.plugin(),
                identifier: try Samples.task(),
                replacing: nil
            )
        )
        try await StubHost.with({ _ in .body(status: 201, answer) }) { host in
            let submit = ["task", "submit", "a.b", "--kind", "refresh", "--payload", "-", "--socket", host.socket]
            #expect(await Terminal(input: "hello").run(list: submit) == .done)
            let endless = Terminal(input: String(repeating: "x", count: TaskRequest.maximumPayload + 1))
            #expect(await endless.run(list: submit) == .misuse)
            let request = TaskRequest(identifier: try Samples.task("a.b"), kind: .refresh)
            #expect(host.requests.map(\.body) == [try json(TaskSubmission(request, payload: Array("hello".utf8)))])
        }
        let help = Terminal()
        _ = await help.run("task", "submit", "--help")
        #expect(help.output.contains("[--payload <FILE|->]"))
    }

    @Test func `bgtask task cancel reports that no request is pending, and exits with 0`() async throws {
        try await StubHost.with({ _ in .body(status: 200, #"{"cancelled":false}"#) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("task", "cancel", "a.b", "--socket", host.socket) == .done)
            #expect(terminal.output.contains("no request with that identifier was pending"))
        }
    }
}
