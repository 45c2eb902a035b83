// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import TaskModel
import Testing

@testable import PluginTrial

/// A trial whose runner and clock are played by the test. Times are in milliseconds since the plan.
struct PlayedTrial {
    static let launch = LaunchNumber(rawValue: 1)

    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    private let permitted: [PermittedIdentifier]
    var course: TrialCourse
    let begun: [TrialCourse.Action]

    init(
        tasks names: [String],
        _ script: TrialScript = TrialScript([]),
        kind: TaskKind = .processing,
        event: EventType? = nil,
        modes: Set<BackgroundMode> = [.fetch, .processing]
    ) throws {
        let plugin = try #require(PluginIdentifier("com.example.played"))
        let texts = names.map { "com.example.played.\($0)" }
        permitted = try texts.map { try #require(PermittedIdentifier($0)) }
        let identity = FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1)
        let entry = PluginEntry(
            identifier: plugin,
            name: "Played",
            version: "",
            role: .main,
            permitted: permitted,
            modes: modes,
            library: LibraryFile(path: "/lib.so", digest: "", identity: identity),
            manifestPath: "/played.yaml",
            manifestDigest: ""
        )
        var script = script
        script.tasks = texts.map { TrialScript.Task($0, kind, event: event) }
        course = TrialCourse(script, of: entry, owner: entry, launch: Self.launch, at: start)
        begun = course.begin()
    }

    func at(_ milliseconds: Int) -> MonotonicTime { start + .milliseconds(milliseconds) }

    func task(_ index: Int) -> TaskID { TaskID(launch: Self.launch, index: index) }

    mutating func receive(_ message: RunnerMessage, at time: Int) -> [TrialCourse.Action] {
        course.receive(.message(Self.launch, message), at: at(time))
    }

    /// Entry returns, by default with a handler for every task.
    mutating func enter(
        status: Int32 = 0,
        registered: [PermittedIdentifier]? = nil,
        at time: Int = 0
    ) -> [TrialCourse.Action] {
        let names = status == 0 ? registered ?? permitted : []
        return receive(.entered(status: status, registered: names, offersReceive: false), at: time)
    }

    mutating func complete(_ task: Int, _ outcome: CompletionOutcome = .success, at time: Int) -> [TrialCourse.Action] {
        receive(.completed(self.task(task), outcome), at: time)
    }

    mutating func end(_ termination: ProcessTermination = .signaled(9), wasKilled: Bool) {
        let end = RunnerEnd(termination: termination, lastWords: nil, wasKilled: wasKilled, leftRunning: 0)
        _ = course.receive(.ended(Self.launch, end), at: at(40_000))
    }

    func outcome(_ name: String) -> TaskOutcome {
        course.log.outcome(of: 0, identifier: "com.example.played.\(name)", event: course.script.tasks.first?.event)
    }
}
