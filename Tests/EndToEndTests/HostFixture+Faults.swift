// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

// What every fault is held to: the host goes on, a neighbour's task completes meanwhile, the journal says what there is to
// say. That nothing is left behind is looked at when the fixture ends.
extension HostFixture {
    /// Has a neighbour's task complete while a fault stands, on the very host that it struck.
    ///
    /// - Parameter stands: asked before and afterwards: a fault that is over by then was not stood through.
    func withstands(
        _ fault: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        while stands: () async throws -> Bool
    ) async throws {
        let host = pid
        #expect(try await stands(), "\(fault) does not stand", sourceLocation: sourceLocation)
        try await runNeighbour(sourceLocation: sourceLocation)
        #expect(try await stands(), "\(fault) was over before the neighbour's task", sourceLocation: sourceLocation)
        #expect(pid == host && process?.hasEnded == false, sourceLocation: sourceLocation)
    }

    /// ... while what a plugin was asked to do runs, or is to run again because it failed.
    func withstands(submission: Int64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await withstands("submission \(submission)", sourceLocation: sourceLocation) {
            let tasks = try await client.tasks()
            return tasks.running.contains { $0.submission == submission }
                || tasks.pending.contains { $0.submission == submission && $0.attempts > 0 }
                || tasks.events.contains { $0.submission == submission && $0.attempts > 0 }
        }
    }

    /// ... while a launch goes on, whatever became of its tasks.
    func withstands(launch: Int64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await withstands("launch \(launch)", sourceLocation: sourceLocation) {
            try await client.launch(LaunchNumber(rawValue: launch)).outcome == nil
        }
    }

    /// ... while one that lingers has done what it does, and is let go afterwards.
    ///
    /// - Returns: how its task ended.
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

    /// Lets the tasks of a plugin that lingers complete.
    func letGo(_ plugin: TestPlugin) throws {
        try folder.write([], to: "state/containers/\(plugin.main ?? plugin.identifier)/let-go")
    }

    /// Has one more attempt made at once, whatever delay the last one's failure has cost.
    func tryAgain(_ task: String) async throws -> JournalLine {
        let before = try await journalEnd()
        _ = try await client.simulateLaunch(of: [identifier(task)])
        let attempt = try await waitForJournal("the next attempt", after: before) { line in
            line.task == task && TaskOutcome(rawValue: line.event) != nil
        }
        _ = try await end(ofLaunch: try #require(attempt.launch))
        return attempt
    }

    /// The host's resident memory.
    func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}

extension JournalLine {
    /// Whether it says who did what against which rule, and what to do about it.
    func names(_ plugin: TestPlugin, blame: String = "plugin", rule: String, remedy: String) -> Bool {
        self.plugin == plugin.identifier && self.blame == blame && message.contains(rule) && message.contains(remedy)
    }
}
