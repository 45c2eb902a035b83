// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

// Actions on the plugins of Tests/MisbehavingPlugins that several suites share.
extension HostFixture {
    /// Lets the tasks of Patient.c complete.
    func release(_ patient: TestPlugin) throws {
        try directory.write([], to: "state/containers/\(patient.identifier)/release")
    }

    /// Submits every task of the plugin, and runs all in one launch. Returns the submission numbers.
    func submitTogether(_ plugin: TestPlugin) async throws -> [Int64] {
        let tasks = plugin.tasks.map { plugin.task($0) }
        var submissions: [Int64] = []
        for task in tasks { submissions.append(try await submit(task, earliestBegin: Self.tomorrow)) }
        _ = try await client.run(tasks.map(identifier))
        return submissions
    }

    /// Submits every task of the plugin, and makes them due at the same instant. Requires a host that started without
    /// external power. Returns the submission numbers.
    func makeDueTogether(_ plugin: TestPlugin) async throws -> [Int64] {
        var submissions: [Int64] = []
        for task in plugin.tasks {
            submissions.append(try await submit(plugin.task(task), requiresExternalPower: true))
        }
        _ = try await client.simulateConditions(ConditionsSimulation([.externalPower: .holds(true)]))
        return submissions
    }

    /// Runs the task of a well-behaved plugin to success, which shows that the host still works.
    func runNeighbour(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let submission = try await submit(TestPlugin.neighbour.task())
        let end = try await outcome(of: submission)
        #expect(end.event == "succeeded", sourceLocation: sourceLocation)
        _ = try await self.end(ofLaunch: try #require(end.launch))
    }

    /// Waits for a launch in the plugin's background lane whose plan was sent.
    func launch(of plugin: TestPlugin) async throws -> (number: Int64, pid: Int32) {
        let identifier = plugin.identifier
        let line = try await waitForLog("a launch of \(identifier)") {
            $0.contains("launched") && $0.contains("plugin=\(identifier) ") && $0.contains("lane=background")
        }
        let fields = line.split(separator: " ").map { $0.split(separator: "=") }.filter { $0.count == 2 }
        let values = Dictionary(fields.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
        return (try #require(values["launch"].flatMap { Int64($0) }), try #require(values["pid"].flatMap { Int32($0) }))
    }

    /// Waits for the journal entry of the first violation in a launch.
    func violation(in launch: Int64) async throws -> JournalLine {
        try await waitForJournal("a violation in launch \(launch)") { $0.event == "violation" && $0.launch == launch }
    }

    /// Replaces the manifest of the plugin, and waits until the host has processed the change.
    func change(to plugin: TestPlugin) async throws {
        let end = try await journalEnd()
        let identifier = plugin.identifier
        try directory.write(plugin.manifest.utf8, to: plugin.manifestFile)
        try await waitForJournal("the change of \(identifier)", after: end) {
            $0.event == "plugin-changed" && $0.plugin == identifier
        }
    }

    /// Expires a task as a user who stops it. Repeats the call while the host refuses it with `not-running`, for example
    /// because the task is not launched yet.
    func expireOnceEntered(_ task: String) async throws {
        while true {
            do {
                _ = try await client.stop(identifier(task))
                return
            } catch ControlError.refused(409, let reply) where reply.error.subReason == "not-running" {
                await Task.yield()
            }
        }
    }
}
