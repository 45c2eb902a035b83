// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

// Actions on the plugin of Tests/SwiftPlugins that the suites about the Swift module share.
extension HostFixture {
    /// Waits for the outcome of the plugin's event `started`, submits a task of the plugin, and launches it at a user's
    /// request. Returns the submission number.
    func begin(
        _ plugin: TestPlugin,
        _ task: String,
        _ kind: TaskKind = .processing,
        payload: String = ""
    ) async throws -> Int64 {
        try await started(plugin)
        let task = plugin.task(task)
        let submission = try await submit(task, kind, earliestBegin: Self.tomorrow, payload: Array(payload.utf8))
        _ = try await client.run([identifier(task)])
        return submission
    }

    /// Runs a task of the plugin as `begin` does, and waits for the end of its launch. Returns the journal line of the
    /// task's outcome.
    func run(
        _ plugin: TestPlugin,
        _ task: String,
        _ kind: TaskKind = .processing,
        payload: String = ""
    ) async throws -> JournalLine {
        let end = try await outcome(of: begin(plugin, task, kind, payload: payload))
        _ = try await self.end(ofLaunch: try #require(end.launch))
        return end
    }

    /// Identifiers of the pending requests, sorted.
    func pending() async throws -> [String] { try await client.tasks().pending.map(\.identifier).sorted() }
}
