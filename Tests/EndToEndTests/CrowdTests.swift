// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A crowd of callers costs nobody an answer, and the host nothing that it keeps")
struct CrowdTests {
    private static let callers = 200

    @Test func `two hundred at once are all answered, and nothing of them is left`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try await host.runNeighbour()
            try await host.answerCrowd(of: Self.callers)
            let (connections, memory) = (host.connections.count, try host.residentKilobytes())
            for _ in 0..<5 { try await host.answerCrowd(of: Self.callers) }
            try await host.waitForConnections(atMost: connections)
            // A thousand connections that were kept would take several times that.
            #expect(try host.residentKilobytes() - memory < 8_192)
        }
    }

    @Test func `more than there is room for, who say half of it and stay, are hung up on in the end`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let connections = host.connections.count
            let soon = WallTime(nanoseconds: Int64((Date().timeIntervalSince1970 + 1) * 1_000_000_000))
            try await host.submit(TestPlugin.neighbour.task(), earliestBegin: soon)
            let crowd = try (0..<300).map { _ in try RawCaller(of: host, saying: "GET /v1/host HTT") }
            // The journal is read over the socket, which they have: the log is not.
            try await host.waitForLog("its launch") { $0.contains(TestPlugin.neighbour.task()) }
            try await host.runNeighbour()
            #expect(host.connections.count < crowd.count)
            for caller in crowd { _ = caller.answer() }
            try await host.waitForConnections(atMost: connections)
        }
    }

    @Test func `they delay no host's end`() async throws {
        try await HostFixture.with { host in
            let crowd = try (0..<Self.callers).map { _ in try RawCaller(of: host, saying: "GET /v1/host HTT") }
            try await host.stop()
            withExtendedLifetime(crowd) {}
        }
    }
}

extension HostFixture {
    /// The host's sockets. What else it holds comes and goes with its readers of the ledger.
    fileprivate var connections: [String] { descriptorTargets().values.filter { $0.hasPrefix("socket:") } }

    /// All are there before the first one is listened to, and a task runs meanwhile.
    fileprivate func answerCrowd(of count: Int) async throws {
        let call = "GET /v1/host HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        let crowd = try (0..<count).map { _ in try RawCaller(of: self, saying: call) }
        try await runNeighbour()
        for caller in crowd {
            let answer = caller.answer()
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("state-folder"), "\(answer.prefix(200))")
        }
    }

    /// Asks the host something until it has let go of what callers held; the test's own client may keep a few.
    fileprivate func waitForConnections(atMost start: Int) async throws {
        let count = start + 8
        for _ in 0..<2_000 where connections.count > count { _ = try await client.host() }
        #expect(connections.count <= count)
    }

    fileprivate func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}
