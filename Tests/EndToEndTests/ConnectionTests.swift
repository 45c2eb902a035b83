// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

// The idle timeout is longer than any test: no connection is closed because time passes.
@Suite("Held connections to the control socket delay no other caller")
struct ConnectionTests {
    private static let nobody: UInt32 = 65_534
    private static let setup = HostSetup(["idle-timeout": "1d", "read-group": "nogroup"])
    private static let call = "GET /v1/host HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    private static let follow = "GET /v1/journal?follow=true HTTP/1.1\r\nhost: x\r\n\r\n"

    @Test(.enabled(if: getuid() == 0), arguments: ["", "GET /v1/ho", follow])
    func `300 connections that another user holds delay neither root nor a third user`(text: String) async throws {
        try await HostFixture.with(Self.setup) { host in
            try await Self.holding(300, of: Self.nobody, text, at: host) {
                #expect(try RawCaller(of: host, saying: Self.call).answer().hasPrefix("HTTP/1.1 200"))
                #expect(try await host.bgtask("host", "status").status == 0)
                let third = ForeignCaller.arguments(of: host, 54_321, [Self.nobody]) + ["status", "GET", "/v1/host"]
                #expect(try await ProgramRun.of(ForeignCaller.program(in: host), third).output == "200\n")
                try await host.runNeighbour()
            }
        }
    }

    @Test(.enabled(if: getuid() == 0))
    func `300 connections that a plugin holds with isolation off delay no other caller of the same user`()
        async throws
    {
        let setup = HostSetup(["idle-timeout": "1d", "isolation": "off"]).ofOrdinaryUser()
        let user = try #require(setup.user)
        try await HostFixture.with(setup) { host in
            var plugin = TestPlugin("HoldsConnections").lingering
            plugin.settings["control"] = host.socket
            try await host.install(plugin)
            try await host.started(plugin)
            let submission = try await host.submit(plugin.task())
            try await host.waitForLog("the held connections") { $0.contains("the task lingers") }
            #expect(host.containerText(plugin, "held.txt") == "300\n")
            let caller = ForeignCaller.arguments(of: host, user, [user]) + ["status", "GET", "/v1/host"]
            #expect(try await ProgramRun.of(ForeignCaller.program(in: host), caller).output == "200\n")
            #expect(try await host.bgtask("host", "status").status == 0)
            try await host.withstands(submission: submission)
            try host.letGo(plugin)
            #expect(try await host.outcome(of: submission).event == "succeeded")
        }
    }

    @Test func `a user's connection beyond the limit closes the user's longest idle one`() async throws {
        try await HostFixture.with(Self.setup) { host in
            let held = try (1...200).map { _ in try RawCaller(of: host, saying: "GET /v1/ho") }
            #expect(try RawCaller(of: host, saying: Self.call).answer().hasPrefix("HTTP/1.1 200"))
            #expect(held[0].answer().isEmpty)
        }
    }

    @Test
    func `a call beyond a user's connection limit gets 503 and a time to retry while every connection has a call`()
        async throws
    {
        try await HostFixture.with(Self.setup) { host in
            var held: [RawCaller] = []
            for _ in 1...128 {
                let caller = try RawCaller(of: host, saying: Self.follow)
                // The head of the answer: from then on the call is in progress.
                #expect(caller.beginning().hasPrefix("HTTP/1.1 200"))
                held.append(caller)
            }
            let refused = try host.rawCall("GET", "/v1/host")
            #expect(refused.status == 503 && refused.headers["retry-after"] == "1")
            let error = try refused.json()["error"]
            #expect(error["code"] == .string("busy") && error["sub_reason"] == .string("too-many-connections"))
            held.removeLast()
            // The host learns of the closed connection in its own time.
            var status = 503
            while status == 503 { status = try host.rawCall("GET", "/v1/host").status }
            #expect(status == 200)
            held = []
        }
    }

    private static func holding(
        _ count: Int,
        of user: UInt32,
        _ text: String,
        at host: HostFixture,
        _ body: () async throws -> Void
    ) async throws {
        let arguments = ForeignCaller.arguments(of: host, user, [nobody]) + ["hold", "\(count)", text]
        let holder = try await ChildProcess.start(ForeignCaller.program(in: host), arguments)
        try await holder.outputLine("that the connections are held") { $0 == "held" }
        try await body()
        holder.signal(SIGKILL)
        _ = try await holder.ending()
    }
}
