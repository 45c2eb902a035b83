// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("Many simultaneous clients are served, and the host keeps none of their connections")
struct CrowdTests {
    private static let callers = 100

    @Test
    func `a hundred simultaneous calls are answered; ten repetitions leave no connection and add less than 8 MiB`()
        async throws
    {
        try await HostFixture.with(HostSetup(["idle-timeout": "2s"])) { host in
            try await host.started(.neighbour)
            try await host.answerCrowd(of: Self.callers)
            let memory = try host.residentKilobytes()
            for _ in 0..<10 { try await host.answerCrowd(of: Self.callers) }
            // A thousand connections that were not closed would take several times as much memory.
            #expect(try host.residentKilobytes() - memory < 8_192)
            // This test's own client sends no more calls either.
            try await host.waitUntilNobodyIsConnected()
        }
    }

    @Test func `a plugin is installed and runs while more clients than the host admits hold incomplete calls open`()
        async throws
    {
        let plugin = TestPlugin("ReceivesStarted")
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let crowd = try host.silentCrowd()
            // The host admits 128 connections of a user.
            #expect(crowd.count > 128 && host.connections.count >= 128)
            // The clients occupy the socket, so installation and outcome are observed in the log.
            try await host.install(plugin)
            let line = try await host.waitForLog("its task") { $0.contains("launched") && $0.contains(plugin.task()) }
            let launch = try #require(line.split(separator: " ").first { $0.hasPrefix("launch=") })
            try await host.waitForLog("its end") { $0.contains("ended") && $0.contains("\(launch) ") }
            // The launch of the event, which submitted the task, may write its own line later.
            #expect(host.containerText(plugin, "events.txt").split(separator: "\n").contains("task"))
            #expect(host.connections.count >= 128, "they stayed longer than it took")
            withExtendedLifetime(crowd) {}
        }
    }

    @Test func `clients with incomplete calls are disconnected after the timeout, and other clients are served again`()
        async throws
    {
        try await HostFixture.with(HostSetup(["idle-timeout": "200ms"])) { host in
            try await host.started(.neighbour)
            for caller in try host.silentCrowd() { #expect(caller.answer().isEmpty) }
            try await host.waitUntilNobodyIsConnected()
            try await host.runNeighbour()
        }
    }

    @Test func `clients with incomplete calls do not delay the stop of a host`() async throws {
        try await HostFixture.with { host in
            let crowd = try (0..<Self.callers).map { _ in try RawCaller(of: host, saying: "GET /v1/host HTT") }
            try await host.stop()
            withExtendedLifetime(crowd) {}
        }
    }
}

extension HostFixture {
    /// Opens 300 connections with incomplete calls, more than the host admits at once: the last ones wait in the
    /// backlog of the socket.
    fileprivate func silentCrowd() throws -> [RawCaller] {
        try (0..<300).map { _ in try RawCaller(of: self, saying: "GET /v1/host HTT") }
    }

    /// Opens `count` connections with a complete call each, runs a task, and then reads every response.
    fileprivate func answerCrowd(of count: Int) async throws {
        let call = "GET /v1/host HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        let crowd = try (0..<count).map { _ in try RawCaller(of: self, saying: call) }
        try await runNeighbour()
        for caller in crowd {
            let answer = caller.answer()
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("state_directory"), "\(answer.prefix(200))")
        }
    }
}
