// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

@Suite("An unknown name is refused, with the nearest known name")
struct UnknownNameTests {
    private static let plugin = TestPlugin.neighbour

    @Test func `a filter of the journal with an unknown plugin, launch or task is refused`() async throws {
        try await HostFixture.with { host in
            for filter in [
                ["--plugin", "com.example.nobody"], ["--launch", "4711"], ["--identifier", "com.example.nobody.task"],
            ] {
                let journal = try await host.bgtaskList(["journal"] + filter)
                #expect(journal.status == 1 && journal.output.isEmpty, "\(filter)")
                #expect(journal.error.contains(filter[1]), "\(journal.error)")
            }
            let nearly = try await host.bgtask("journal", "--plugin", "com.example.neigbour")
            #expect(nearly.error.contains("write \"\(Self.plugin.identifier)\""))
            let known = try await host.bgtask("journal", "--plugin", Self.plugin.identifier, "--event", "crashed")
            #expect(known.status == 1 && known.output.isEmpty)
            #expect(known.error == "bgtask: no journal entry found\n")
        }
    }

    @Test func `the journal has the entries of each event that a repeated filter names`() async throws {
        try await HostFixture.with { host in
            let submission = try await host.submit(Self.plugin.task())
            _ = try await host.outcome(of: submission)
            let events = JournalFilter(events: [.submitted, .task(.succeeded)])
            let entries = try await host.client.journal(limit: 50, filter: events).entries
            #expect(entries.filter { $0.submission == submission }.map(\.event) == ["submitted", "succeeded"])
            let listed = try await host.bgtask("journal", "--event", "submitted", "--outcome", "succeeded")
            #expect(listed.output.contains("submitted") && listed.output.contains("succeeded"))
        }
    }

    @Test func `a command about a task that no plugin permits is refused with the nearest task`() async throws {
        try await HostFixture.with { host in
            let typo = "com.example.neighbour.tsak"
            let submit = ["task", "submit", typo, "--kind", "processing"]
            for command in [
                submit, ["task", "cancel", typo], ["why", typo], ["run", typo], ["task", "stop", typo],
                ["simulate", "expiration", typo],
            ] {
                let run = try await host.bgtaskList(command)
                #expect(run.status == 1, "\(command)")
                #expect(run.error.contains("write \"\(Self.plugin.task())\""), "\(run.error)")
            }
            let plugin = try await host.bgtask("task", "submit", Self.plugin.identifier, "--kind", "processing")
            #expect(plugin.status == 1 && plugin.error.contains("is a plugin, not a task; write one of"))
            #expect(plugin.error.contains(Self.plugin.task()))
        }
    }

    @Test func `a command about a plugin that is not installed is refused with the nearest plugin`() async throws {
        try await HostFixture.with { host in
            let typo = "com.example.neigbour"
            for command in [
                ["plugin", "list", "--plugin", typo], ["plugin", "pause", "--plugin", typo], ["plugin", "show", typo],
                ["task", "list", "--plugin", typo], ["launch", "list", "--plugin", typo], ["stats", typo],
                ["schedule", "list", "--plugin", "\(typo),\(Self.plugin.identifier)"], ["trigger", typo],
                ["why", typo], ["logs", typo],
            ] {
                let run = try await host.bgtaskList(command)
                #expect(run.status == 1 && run.output.isEmpty, "\(command)")
                #expect(run.error.contains("write \"\(Self.plugin.identifier)\" if that plugin"), "\(run.error)")
            }
        }
    }

    @Test func `a list of the work or the launches of an unknown task is refused with the nearest task`() async throws {
        try await HostFixture.with { host in
            for list in ["task", "launch"] {
                let run = try await host.bgtask(list, "list", "--identifier", "com.example.neighbour.tsak")
                #expect(run.status == 1 && run.error.contains("write \"\(Self.plugin.task())\""), "\(run.error)")
                let known = try await host.bgtask(list, "list", "--identifier", Self.plugin.task())
                #expect(known.status == 1 && known.error.contains("found"), "\(known.error)")
            }
        }
    }

    @Test func `a lock is simulated only for the container of an installed plugin`() async throws {
        try await HostFixture.with { host in
            let unknown = try await host.bgtask("simulate", "conditions", "--locked", "com.example.nobody")
            #expect(unknown.status == 1 && unknown.error.contains("com.example.nobody"))
            let known = try await host.bgtask("simulate", "conditions", "--locked", Self.plugin.identifier)
            #expect(known.status == 0)
        }
    }

    @Test func `bgtask task submit prints the time that the value of its option --not-before stands for`() async throws
    {
        try await HostFixture.with { host in
            let run = try await host.bgtask(
                "task",
                "submit",
                Self.plugin.task(),
                "--kind",
                "processing",
                "--not-before",
                "+1h30min"
            )
            #expect(run.output.contains("; it runs no earlier than ") && run.output.contains("(in 1h "))
        }
    }
}
