// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import TaskModel
import Testing

/// The model plugin of `Tests/Languages`, which does the same in every language.
enum ModelPlugin {
    private static let plugin: PluginIdentifier = "com.example.model"
    private static let work = PlayedPlan.task("\(plugin).work", index: 0, payload: Array("colours".utf8))
    private static let waits = PlayedPlan.task("\(plugin).waits", index: 1)
    private static let event = PlayedPlan.task("\(plugin)", .event, index: 2)

    /// Runs the library with a task that works, a task that expires, and an event.
    static func launch(_ library: String, in runner: String? = nil) async throws -> PlayedLaunch {
        try await PlayedLaunch.of(
            library,
            as: plugin,
            PlayedPlan(permitted: ["work", "waits"], settings: ["colour": "blue"], tasks: [work, waits, event]),
            expired: [waits.id],
            runner: runner
        )
    }

    private static let lines: Set = [
        "work com.example.model 40 colours", "submit BGT_OK 1", "submit BGT_TOO_NEW 0",
        "pending com.example.model.waits BGT_KIND_PROCESSING again", "setting BGT_OK blue 5", "BGT_EXPIRED_BUDGET",
        "BGT_EVENT_FETCH", "stop, 1 released",
    ]

    /// The expected log lines of the plugin in Swift, whose module names reasons and events differently.
    private static let swiftLines: Set = [
        "work com.example.model 40 colours", "pending com.example.model.waits again", "setting blue", "expired budget",
        "event fetch", "stop",
    ]

    /// Runs the library and checks everything that the host has received.
    ///
    /// - Parameters:
    ///   - accepted: rules whose violation is known.
    ///   - remedy: text that is appended to the message of a failure.
    static func check(
        _ library: String,
        in runner: String? = nil,
        isSwift: Bool = false,
        accepting accepted: Set<ABIRule?> = [],
        remedy: String
    ) async throws {
        let launch = try await launch(library, in: runner)
        let expected = isSwift ? swiftLines : lines
        try #require(Set(launch.lines) == expected, "\(launch)\n\(remedy)")
        try #require(launch.entered == 0 && launch.end?.termination == .exited(code: 0), "\(launch)\n\(remedy)")
        #expect(Set(launch.registered) == ["\(plugin).work", "\(plugin).waits"], "\(remedy)")
        #expect(launch.completions == [work.id: .success, waits.id: .failure, event.id: .noData], "\(remedy)")
        // In some languages, the message of the event's completion is empty.
        #expect(launch.messages == [work.id: "worked", waits.id: "stopped"], "\(remedy)")
        #expect(Set(launch.violations).subtracting(accepted).isEmpty, "\(launch)\n\(remedy)")
        #expect(launch.assertions == ["model"], "\(remedy)")
        let submission = try #require(launch.submissions.first, "\(remedy)")
        #expect(launch.submissions.count == 1, "\(remedy)")
        #expect(submission.request.identifier.text == "\(plugin).waits" && submission.request.kind == .processing)
        #expect(submission.request.requiresNetwork && submission.request.earliestBegin != nil, "\(remedy)")
        #expect(submission.payload == Array("again".utf8), "\(remedy)")
    }
}
