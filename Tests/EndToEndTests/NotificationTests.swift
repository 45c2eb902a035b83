// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("bgtask notification follow reports lasting failures to a command or a webhook")
struct NotificationTests {
    private static let failing = TestPlugin("CompletesWithNumbers", tasks: ["zero", "negative", "later", "failure"])

    private func follow(_ host: HostFixture, _ arguments: [String]) async throws -> ChildProcess {
        let options = ["--socket", host.socket, "--interval", "1s", "--outcome", "failed"]
        return try await ChildProcess.start(
            try BuiltProgram.command.path(),
            ["notification", "follow"] + options + arguments
        )
    }

    private func end(_ follower: ChildProcess) async throws {
        follower.signal(SIGINT)
        #expect(try await follower.ending() == .exited(0))
    }

    /// Waits until the follower has connected to the host for the first time.
    private func followed(_ state: String) async throws {
        try await withDeadline(waitingFor: "the state file of the follower") {
            // Without a number, the file has only the state of the host.
            while (try? String(contentsOfFile: state, encoding: .utf8))?.contains(/"number":[1-9]/) != true {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test func `a command gets each failure once, over restarts of the host and of the follower`() async throws {
        let plugin = Self.failing
        try await ScratchDirectory.with { scratch in
            try await HostFixture.with(plugins: [plugin]) { host in
                let state = scratch.file("alerts.json")
                let command = #"printf '%s %s %s %s\n' "$BGTASK_ALERT" "$BGTASK_BLAME" "$BGTASK_TASK" "$(cat)""#
                let script = ["--exec", command, "--state", state]
                try await host.started(plugin)
                let first = try await follow(host, script)
                try await followed(state)

                let failed = try await host.outcome(of: try await host.submit(plugin.task("failure")))
                let line = try await first.errorLine("the first alert") { $0.hasPrefix("failed plugin ") }
                #expect(line.hasPrefix("failed plugin \(plugin.task("failure")) {"))
                let json = try JSONValue(parsing: Data(line.drop { $0 != "{" }.utf8))
                #expect(json["newest"]["number"] == .integer(failed.number))
                #expect(json["newest"]["plugin"] == .string(plugin.identifier))

                try await host.stop()
                try await first.errorLine("the host is gone") { $0.contains("trying again until a host answers") }
                try await host.restart()
                try await first.errorLine("the host is back") { $0.contains("following the journal") }
                let second = try await host.outcome(of: try await host.submit(plugin.task("later")))
                try await first.errorLine("the second alert") { $0.contains("\"number\":\(second.number)") }
                try await end(first)

                let third = try await host.outcome(of: try await host.submit(plugin.task("negative")))
                let again = try await follow(host, script)
                try await again.errorLine("the third alert") { $0.contains("\"number\":\(third.number)") }
                try await end(again)
                let numbers = (first.standardError.elements + again.standardError.elements)
                    .filter { $0.hasPrefix("failed ") }.map { $0.contains("\"number\":\(failed.number)") }
                #expect(numbers.count { $0 } == 1)
            }
        }
    }

    @Test func `a webhook gets the failure with its log at the second attempt, after a first one with status 503`()
        async throws
    {
        let plugin = Self.failing
        let server = try WebhookReceiver(answering: [503, 200])
        defer { server.close() }
        try await ScratchDirectory.with { scratch in
            try await HostFixture.with(plugins: [plugin]) { host in
                let state = scratch.file("alerts.json")
                try await host.started(plugin)
                let follower = try await follow(host, ["--webhook", server.url, "--state", state])
                try await followed(state)
                let failed = try await host.outcome(of: try await host.submit(plugin.task("failure")))
                try await follower.errorLine("the failed attempt") { $0.contains("answers with status 503") }
                let second = try await withDeadline(waitingFor: "the second post") {
                    await server.requests.first(after: 1) { _ in true }
                }
                let request = try #require(second)
                #expect(request.hasPrefix("POST /hook HTTP/1.1\r\n"))
                #expect(request.lowercased().contains("content-type: application/json"))
                let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
                let json = try JSONValue(parsing: Data(body.utf8))
                #expect(json["format"] == .integer(1) && json["count"] == .integer(1))
                #expect(json["newest"]["number"] == .integer(failed.number))
                #expect(json["newest"]["blame"] == .string("plugin"))
                #expect(json["logs"] != .null)
                try await end(follower)
            }
        }
    }
}
