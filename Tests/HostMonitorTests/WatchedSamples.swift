// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

@testable import HostMonitor

/// Snapshots of hosts: one with a few rows of every kind, and one with many rows.
extension Samples {
    static let exported = "com.example.feed.export.7"

    static func continued(
        _ title: String,
        _ subtitle: String?,
        isExpiring: Bool = false,
        progress: TaskProgress? = TaskProgress(done: 3, total: 12)
    ) throws -> TaskListReply.Running {
        let work = PendingRequest(
            plugin: try plugin(),
            number: SubmissionNumber(rawValue: 14),
            request: TaskRequest(identifier: try task(exported), kind: .continued),
            submitter: .user,
            submittedAt: now
        )
        return TaskListReply.Running(
            .request(work),
            launch: LaunchNumber(rawValue: 42),
            startedAt: now,
            budget: nil,
            used: .seconds(75),
            isExpiring: isExpiring,
            title: (title, subtitle),
            progress: progress
        )
    }

    static func running(
        _ number: Int64,
        lane: Lane = .background,
        budget: Duration? = .seconds(30),
        used: Duration
    ) throws -> LaunchReply {
        LaunchReply(
            launch: LaunchNumber(rawValue: number),
            plugin: try plugin(),
            lane: lane,
            cause: .due,
            pid: 4711,
            startedAt: now,
            budget: budget,
            gracePeriod: .seconds(5),
            used: used,
            end: nil,
            manifestDigest: "cd34",
            tasks: [],
            assertions: [],
            isStopping: false
        )
    }

    static func snapshot(
        title: String = "Exporting 夏",
        subtitle: String? = "3 of 12: IMG_0003.jpg",
        used: Duration = .milliseconds(22_400),
        isExpiring: Bool = false
    ) throws -> HostSnapshot {
        let list = try taskList()
        return HostSnapshot(
            host: host(),
            tasks: TaskListReply(
                pending: list.pending,
                running: list.running.filter { $0.budget != nil } + [
                    try continued(title, subtitle, isExpiring: isExpiring)
                ],
                events: list.events
            ),
            launches: [
                try running(41, used: used), try running(42, lane: .continued, budget: nil, used: .seconds(75)),
            ],
            journal: JournalReply(entries: [try journalLine()], last: 5),
            takenAt: now
        )
    }

    /// A snapshot with more rows than a small terminal shows.
    static func crowd() throws -> HostSnapshot {
        let few = try snapshot()
        let pending = Array(repeating: few.tasks.pending, count: 40).flatMap(\.self)
        return HostSnapshot(
            host: few.host,
            tasks: TaskListReply(pending: pending, running: few.tasks.running, events: few.tasks.events),
            launches: few.launches + (try (43...60).map { try running($0, used: .seconds($0 - 40)) }),
            journal: few.journal,
            takenAt: now
        )
    }
}
