// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A dry run checks a submission and changes nothing")
struct DryRunTests {
    private static let task = TestPlugin.neighbour.task()

    @Test func `task submit --dry-run names the plugin and the replaced request, and stores nothing`() async throws {
        try await HostFixture.with(HostSetup(["external-power": "false"])) { host in
            let submit = ["task", "submit", Self.task, "--kind", "processing", "--needs-external-power"]
            let first = try await host.bgtaskList(submit + ["--dry-run", "--not-before", "+2h"])
            #expect(
                first.status == 0 && first.output.contains("would be pending for \(TestPlugin.neighbour.identifier)")
            )
            #expect(first.output.contains("it would run no earlier than ") && !first.output.contains("replacing"))
            #expect(try await host.client.tasks().pending.isEmpty)

            #expect(try await host.bgtaskList(submit).status == 0)
            let pending = try await host.client.tasks().pending
            let submission = try #require(pending.first?.submission)
            let second = try await host.bgtaskList(submit + ["--dry-run", "--json"])
            let reply = try WireCoding.decode(TaskDryRunReply.self, from: Data(second.output.utf8))
            #expect(reply.replaced == submission && reply.identifier == Self.task)
            #expect(try await host.client.tasks().pending == pending)
            _ = try await host.bgtask("task", "cancel", Self.task)
        }
    }

    @Test func `task submit --dry-run is refused as the submission would be`() async throws {
        try await HostFixture.with { host in
            for request in [
                ["com.example.nobody.task", "--kind", "refresh"], [Self.task + "x", "--kind", "processing"],
            ] {
                let dry = try await host.bgtaskList(["task", "submit", "--dry-run"] + request)
                let real = try await host.bgtaskList(["task", "submit"] + request)
                #expect(dry.status == 1 && dry.error == real.error, "\(dry.error)")
            }
        }
    }
}
