// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("An operator pauses and resumes plugins, and stops single launches, while the host runs")
struct SteeringTests {
    private static let task = TestPlugin.neighbour.task()
    private static let plugin = TestPlugin.neighbour.identifier

    @Test func `a paused plugin runs nothing, also after a restart of the host, until it is resumed`() async throws {
        try await HostFixture.with { host in
            let started = try await host.started(.neighbour)
            _ = try await host.end(ofLaunch: try #require(started.launch))
            let paused = try await host.bgtask("plugin", "pause", Self.plugin)
            #expect(paused.status == 0 && paused.output.contains("\(Self.plugin) is paused until it is resumed"))

            let submitted = try await host.bgtask("task", "submit", Self.task, "--kind", "processing")
            #expect(submitted.status == 0 && submitted.output.contains("it waits for plugin-paused"))
            let submission = try #require(try await host.client.tasks().pending.first?.submission)
            let run = try await host.bgtask("run", Self.task)
            #expect(run.status == 0 && run.output.contains("waits for plugin-paused"), "\(run.error)")
            let why = try await host.why(Self.task)
            #expect(why.codes.first == "plugin-paused" && why.change?.message.contains("plugin resume") == true)
            #expect(try await host.client.plugins().plugins.map(\.state) == [.paused])
            let shown = try await host.bgtask("plugin", "show", Self.plugin)
            #expect(shown.output.contains("(bgtask), until it is resumed"), "\(shown.output)")
            let watched = try await host.bgtask("watch", "--once")
            #expect(watched.output.contains("plugin-paused"), "\(watched.output)")

            try await host.stop()
            try await host.restart()
            #expect(try await host.why(Self.task).codes.first == "plugin-paused")
            #expect(try await host.show(.neighbour).summary.pause?.user?.uid == getuid())

            let resumed = try await host.bgtask("plugin", "resume", Self.plugin)
            #expect(resumed.status == 0 && resumed.output.contains("is resumed"))
            #expect(try await host.outcome(of: submission).event == "succeeded")
            let entries = try await host.client.journal(limit: 1_000).entries
            for event in ["plugin-paused", "plugin-resumed"] {
                #expect(entries.filter { $0.event == event }.map(\.user?.command) == ["bgtask"])
            }
            let again = try await host.bgtask("plugin", "resume", Self.plugin)
            #expect(again.status == 0 && again.output.contains("was not paused"))
        }
    }

    @Test func `a pause with an end ends by itself, and the requests of the plugin run`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let paused = try await host.bgtask("plugin", "pause", Self.plugin, "--for", "5s")
            #expect(paused.status == 0 && paused.output.contains("is paused until 2"))
            let submission = try await host.submit(Self.task)
            #expect(try await host.outcome(of: submission).event == "succeeded")
            let end = try await host.waitForJournal("the end of the pause") { $0.event == "plugin-resumed" }
            #expect(end.user == nil && end.plugin == Self.plugin)
        }
    }

    @Test func `the pause of an unknown plugin is refused with the nearest identifier, and that of others is kept`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let unknown = try await host.bgtask("plugin", "pause", Self.plugin, Self.plugin + "s")
            #expect(unknown.status == 1 && unknown.error.contains(Self.plugin), "\(unknown.error)")
            #expect(try await host.client.plugins().plugins.map(\.state) == [.paused])
            #expect(try await host.bgtask("plugin", "resume", "com.example.nobody").status == 1)
            #expect(try await host.bgtask("plugin", "resume", Self.plugin).status == 0)
            try await host.runNeighbour()
        }
    }

    @Test func `bgtask launch stop stops every task of one launch, with the reason and the user in the journal`()
        async throws
    {
        let patient = TestPlugin("Patient", tasks: ["one", "two"])
        try await HostFixture.with(plugins: [.neighbour, patient]) { host in
            try await host.started(patient)
            let submissions = try await host.submitTogether(patient)
            for submission in submissions { try await host.wait(for: submission, toRun: patient) }
            let running = try await host.client.tasks().running
            let launch = try #require(running.first { $0.plugin == patient.identifier }?.launch)
            let stopped = try await host.bgtask("launch", "stop", "\(launch)")
            #expect(stopped.status == 0, "\(stopped.error)")
            for name in ["one", "two"] { #expect(stopped.output.contains(patient.task(name))) }
            for submission in submissions {
                let end = try await host.outcome(of: submission)
                #expect(end.blame == "user" && end.launch == launch, "\(end)")
            }
            _ = try await host.end(ofLaunch: launch)
            #expect(try await host.client.tasks().pending.isEmpty)
            let calls = try await host.client.journal(limit: 1_000).entries.filter { $0.event == "stop-requested" }
            #expect(calls.map(\.launch) == [launch, launch] && calls.map(\.user?.command) == ["bgtask", "bgtask"])

            let ended = try await host.bgtask("launch", "stop", "\(launch)")
            #expect(ended.status == 1 && ended.error.contains("launch \(launch) is not running"))
            let unknown = try await host.bgtask("launch", "stop", "4711")
            #expect(unknown.status == 1 && unknown.error.contains("4711"))
            try await host.runNeighbour()
        }
    }
}
