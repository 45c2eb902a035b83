// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostTestKit
import Testing

@Suite("Clients with malformed or incomplete calls do not block the host")
struct CallerTests {
    @Test(arguments: [
        "garbage\r\n\r\n", "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
        "POST /v1/tasks HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\nconnection: close\r\n\r\n{{{",
        "GET /v1/launches?limit=99999999999999999999 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        "GET /v1/tasks/%ff%00/why HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        "GET /v1/launches/-1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    ])
    func `malformed bytes and invalid calls on the control socket get a 40x status`(_ call: String) async throws {
        try await HostFixture.with { host in
            let answer = try RawCaller(of: host, saying: call).answer()
            #expect(answer.hasPrefix("HTTP/1.1 40"), "\(answer)")
            try await host.runNeighbour()
        }
    }

    @Test func `clients that stall in the middle of a call delay neither other work nor the host's stop`() async throws
    {
        try await HostFixture.with { host in
            // A response larger than a socket buffer, for clients that do not read it.
            let nonsense = (1...3000).map { "nonsense-key-number-\($0): 1\n" }.joined()
            try host.directory.write(nonsense.utf8, to: "packages/Broken.yaml")
            try await host.waitForLog("the refusal") { $0.contains("Broken.yaml") }
            let list = "GET /v1/plugins HTTP/1.1\r\nhost: x\r\n\r\n"
            let callers = try [
                "", "GET /v1/ho", "POST /v1/tasks HTTP/1.1\r\nhost: x\r\ncontent-length: 200\r\n\r\n{",
                "GET /v1/journal?follow=true&after=0 HTTP/1.1\r\nhost: x\r\n\r\n", list, list + list + list,
            ].map { try RawCaller(of: host, saying: $0) }
            try await host.runNeighbour()
            try await host.stop()
            withExtendedLifetime(callers) {}
        }
    }
}
