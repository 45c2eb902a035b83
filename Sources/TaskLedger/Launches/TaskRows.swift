// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// A task of a running launch that has not ended.
struct UnfinishedTask {
    let work: PendingWork
    let mayNotBeRequeued: Bool
}

extension Database {
    /// The unfinished tasks of a launch, in the order of the batch.
    func unfinishedTasks(of launch: LaunchNumber, plugin: PluginIdentifier, id: Int64) throws -> [UnfinishedTask] {
        var submitters = SubmitterNames(of: plugin, id: id, in: self)
        return try rows(Tasks.unfinished, [launch.rawValue], of: "task") { row in
            UnfinishedTask(
                work: try row.work(of: plugin, submitters: &submitters),
                mayNotBeRequeued: try row.flag("is_kept_from_returning")
            )
        }
    }
}

extension RowReader {
    /// The pending work in the row's columns `Tasks.workColumns`.
    mutating func work(of plugin: PluginIdentifier, submitters: inout SubmitterNames) throws -> PendingWork {
        let number = try submission("submission")
        guard let type = try optional("event_type", { try $0.code($1, EventType.self) }) else {
            return .request(try request(number, of: plugin, identifier: "label", submitters: &submitters))
        }
        let event = PendingEvent(
            plugin: plugin,
            number: number,
            type: type,
            session: try session(),
            createdAt: try wallTime("submitted_at"),
            retry: try retry()
        )
        return .event(event)
    }
}

enum Tasks {
    static let workColumns = """
        submission, event_type, label, \(RequestColumns.list),
        \(Event.session(of: "task.submission", "task.event_type"))
        """

    static let unfinished = """
        SELECT launch, \(workColumns), is_kept_from_returning
        FROM task WHERE launch = ? AND is_over = 0 ORDER BY position
        """
}
