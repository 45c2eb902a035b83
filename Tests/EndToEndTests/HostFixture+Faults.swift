// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

// Requirements of every fault: the host keeps running, a neighbour's task completes meanwhile, and the journal explains
// the fault. The fixture checks at its end that no process or file is left behind.
extension HostFixture {
    private static let advice = "a busy machine can cause this: run the suite alone"

    /// Checks that a neighbour's task runs to completion while a fault lasts, on the same host process.
    ///
    /// - Parameter stands: whether the fault lasts; evaluated before and after the neighbour's task.
    func withstands(
        _ fault: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        while stands: () async throws -> Bool
    ) async throws {
        let host = pid
        #expect(
            try await stands(),
            "\(fault) is not in progress before the neighbour's task; \(Self.advice)",
            sourceLocation: sourceLocation
        )
        try await runNeighbour(sourceLocation: sourceLocation)
        #expect(
            try await stands(),
            "\(fault) ended before the neighbour's task; \(Self.advice)",
            sourceLocation: sourceLocation
        )
        #expect(pid == host && process?.hasEnded == false, sourceLocation: sourceLocation)
    }

    /// Checks that a neighbour's task runs while the submission is running, or pending after a failed attempt.
    func withstands(submission: Int64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await withstands("submission \(submission)", sourceLocation: sourceLocation) {
            let tasks = try await client.tasks()
            return tasks.running.contains { $0.submission == submission }
                || tasks.pending.contains { $0.submission == submission && $0.attempts > 0 }
                || tasks.events.contains { $0.submission == submission && $0.attempts > 0 }
        }
    }

    /// Checks that a neighbour's task runs while the launch is open, whatever the state of its tasks.
    func withstands(launch: Int64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await withstands("launch \(launch)", sourceLocation: sourceLocation) {
            try await client.launch(LaunchNumber(rawValue: launch)).outcome == nil
        }
    }

    /// Submits the task of a lingering plugin, and checks that a neighbour's task runs after the fault of the first
    /// task and before its completion. Then lets the task complete, and waits for the end of its launch.
    ///
    /// - Returns: the journal line of that task's outcome.
    @discardableResult
    func withstandsTask(
        of plugin: TestPlugin,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JournalLine {
        let submission = try await submit(plugin.task())
        try await waitForLog("what it does") {
            $0.contains("the task lingers") && $0.contains("plugin=\(plugin.identifier) ")
        }
        try await withstands(submission: submission, sourceLocation: sourceLocation)
        try letGo(plugin)
        let outcome = try await outcome(of: submission)
        _ = try await end(ofLaunch: try #require(outcome.launch, sourceLocation: sourceLocation))
        return outcome
    }

    /// Lets the tasks of a lingering plugin complete.
    func letGo(_ plugin: TestPlugin) throws {
        try directory.write([], to: "state/containers/\(plugin.main ?? plugin.identifier)/let-go")
    }

    /// Runs the pending task again at once, regardless of the retry delay, and waits for the end of its launch. Returns
    /// the journal line with the outcome of the task.
    func tryAgain(_ task: String) async throws -> JournalLine {
        let before = try await journalEnd()
        _ = try await client.run([identifier(task)])
        let attempt = try await waitForJournal("the next attempt", after: before) { line in
            line.task == task && TaskOutcome(rawValue: line.event) != nil
        }
        _ = try await end(ofLaunch: try #require(attempt.launch))
        return attempt
    }

    /// The host's resident memory in kilobytes.
    func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}

extension JournalLine {
    /// Whether the journal entry names plugin, blame, rule and remedy.
    func names(_ plugin: TestPlugin, blame: String = "plugin", rule: String, remedy: String) -> Bool {
        self.plugin == plugin.identifier && self.blame == blame && message.contains(rule) && message.contains(remedy)
    }
}
