// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Testing

@testable import Commands
@testable import HostMonitor

@Suite("bgtask watch without a terminal prints text")
struct WatchCommandTests {
    private static func answers() throws -> StubHost.Behaviour {
        let host = try json(Samples.host())
        let tasks = try json(Samples.snapshot().tasks)
        let launches = try json(LaunchListReply(launches: Samples.snapshot().launches))
        let journal = try json(Samples.snapshot().journal)
        return { request in
            switch request.path.prefix(8) {
            case "/v1/host": .body(status: 200, host)
            case "/v1/task": .body(status: 200, tasks)
            case "/v1/laun": .body(status: 200, launches)
            // A followed journal sends no entries.
            case "/v1/jour" where request.path.contains("follow"): .stream([], .never)
            default: .body(status: 200, journal)
            }
        }
    }

    private static func json(_ reply: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(reply), as: UTF8.self)
    }

    @Test func `bgtask watch --once prints one snapshot as plain text`() async throws {
        try await StubHost.with(try Self.answers()) { host in
            let terminal = Terminal()
            #expect(await terminal.run("watch", "--once", "--socket", host.socket) == .done)
            #expect(terminal.output.contains("RUNNING 2") && terminal.output.contains("WAITING 1"))
            #expect(!terminal.output.contains("\u{1b}"))
        }
    }

    @Test func `bgtask watch refuses an invalid interval with the valid range, and a missing host with a remedy`()
        async throws
    {
        for interval in ["fast", "0s", "2d", "-1s"] {
            let terminal = Terminal()
            #expect(await terminal.run("watch", "--interval=\(interval)") == .misuse)
            #expect(terminal.error.contains("50ms to 1h"))
        }
        let terminal = Terminal()
        #expect(await terminal.run("watch", "--socket", "/nowhere/control.sock") == .unreachable)
        #expect(terminal.error.contains("bgtask host run --socket"))
    }
}
