// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("bgtask journal --follow ends on Ctrl-C or with its host")
struct FollowTests {
    /// The behaviour of a host whose journal has entry 5, and sends entries 6 and 7 while it is followed.
    private func behaviour(ending: StubHost.Ending) throws -> StubHost.Behaviour {
        let page = String(
            decoding: try WireCoding.encode(JournalReply(entries: [try Samples.journalLine(5)], last: 5)),
            as: UTF8.self
        )
        let lines = try [6, 7].map {
            String(decoding: try WireCoding.encode(try Samples.journalLine($0, message: "entry \($0)")), as: UTF8.self)
                + "\n"
        }
        return { $0.path.contains("follow") ? .stream(lines, ending) : .body(status: 200, page) }
    }

    @Test func `Ctrl-C ends bgtask journal --follow with status 0`() async throws {
        try await StubHost.with(try behaviour(ending: .never)) { host in
            let terminal = Terminal()
            let status = await terminal.run(
                "journal",
                "--follow",
                "--limit",
                "1",
                "--socket",
                host.socket,
                interruptedBy: "entry 7"
            )
            #expect(status == .done)
            #expect(terminal.error.isEmpty)
            #expect(host.requests.map(\.path) == ["/v1/journal?limit=1", "/v1/journal?after=5&follow=true"])
            #expect(
                terminal.output == """
                    TIME      EVENT      LAUNCH  SUBJECT                   BLAME  MESSAGE
                    01:48:00  succeeded  41      com.example.feed.refresh  -      pruned 12 rows
                    01:48:00  succeeded  41      com.example.feed.refresh  -      entry 6
                    01:48:00  succeeded  41      com.example.feed.refresh  -      entry 7

                    """
            )
        }
    }

    @Test func `bgtask journal --follow --json prints one entry per line`() async throws {
        try await StubHost.with(try behaviour(ending: .never)) { host in
            let terminal = Terminal()
            let status = await terminal.run(
                "journal",
                "--follow",
                "--json",
                "--socket",
                host.socket,
                interruptedBy: "entry 7"
            )
            #expect(status == .done)
            let numbers = try terminal.output.split(separator: "\n").map {
                try WireCoding.decode(JournalLine.self, from: .init($0.utf8)).number
            }
            #expect(numbers == [5, 6, 7])
        }
    }

    @Test func `bgtask journal --follow exits with 3 and advice when the host stops`() async throws {
        try await StubHost.with(try behaviour(ending: .inOrder)) { host in
            let terminal = Terminal()
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .unreachable)
            #expect(terminal.output.contains("entry 7"))
            #expect(
                terminal.error == """
                    bgtask: the host at \(host.socket) is stopping and has closed the journal
                    bgtask: follow the journal again; if that fails, check the host with: bgtask host status --socket \
                    \(host.socket)

                    """
            )
        }
    }

    @Test func `bgtask journal --follow reports a connection that breaks off as lost`() async throws {
        try await StubHost.with(try behaviour(ending: .brokenOff)) { host in
            let terminal = Terminal()
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .unreachable)
            #expect(terminal.error.hasPrefix("bgtask: the connection to the host at \(host.socket) is lost\n"))
            #expect(terminal.error.split(separator: "\n").count == 2)
        }
    }

    @Test func `bgtask journal --follow reports a connection that is closed before the first entry as lost`()
        async throws
    {
        let page = try behaviour(ending: .inOrder)
        try await StubHost.with({ $0.path.contains("follow") ? .hangUp : page($0) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .unreachable)
            #expect(terminal.error.hasPrefix("bgtask: the connection to the host at \(host.socket) is lost\n"))
        }
    }

    @Test func `bgtask journal --follow ends without an error when standard output is closed`() async throws {
        try await StubHost.with(try behaviour(ending: .never)) { host in
            let terminal = Terminal(closesAfter: 2)
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .done)
            #expect(terminal.output.contains("entry 6") && !terminal.output.contains("entry 7"))
        }
    }
}
