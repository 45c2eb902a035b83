// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// The period in which the work of a task was pending, with the class of the work. The waits of the task are the waits
/// of the class in that period.
package struct PendingSpan: Hashable, Sendable {
    package let submission: SubmissionNumber
    package let key: WaitKey
    /// The time of submission, or of the creation of an event.
    package let since: WallTime
    /// The start of the launch of the task. It equals `since` for a task that was submitted after this start and joined
    /// the launch, because the time of joining is not recorded.
    package let until: WallTime

    init(_ work: PendingWork, launchedAt start: WallTime) {
        submission = work.number
        key = WaitKey(of: work)
        since =
            switch work {
            case .request(let request): request.submittedAt
            case .event(let event): event.createdAt
            }
        until = max(since, start)
    }
}

extension Database {
    /// The pending span of a task in a launch; nil when the ledger contains no such task.
    func pendingSpan(ofTask submission: SubmissionNumber, in launch: LaunchNumber) throws -> PendingSpan? {
        try rows(Span.ofTask, [launch.rawValue, submission.rawValue], of: "task") { row in
            let plugin = try row.plugin()
            var submitters = SubmitterNames(of: plugin, id: try row.integer("plugin"), in: self)
            return PendingSpan(
                try row.work(of: plugin, submitters: &submitters),
                launchedAt: try row.wallTime("started_at")
            )
        }
        .first
    }

    /// The pending span of the newest task with a journaled outcome; nil when the journal contains no outcome with that
    /// label, or the launch was pruned.
    ///
    /// - Parameter plugin: the plugin of the task; nil for any plugin.
    func pendingSpan(ofNewestTask label: String, plugin: PluginIdentifier?) throws -> PendingSpan? {
        let (sql, arguments) = Span.newest(label, plugin)
        let newest = try rows(sql, arguments, of: "journal") { row in
            (submission: try row.submission("submission"), launch: try row.launch("launch"))
        }
        return try newest.first.flatMap { try pendingSpan(ofTask: $0.submission, in: $0.launch) }
    }
}

enum Span {
    static let ofTask = """
        SELECT task.launch, \(Tasks.workColumns), identifier, launch.plugin, started_at
        FROM task JOIN launch ON launch.number = task.launch JOIN plugin ON plugin.id = launch.plugin
        WHERE task.launch = ? AND submission = ?
        """

    /// The SQL query for the newest outcome with a label. Only the entry of an outcome contains the launch in which the
    /// task ran; the entry of a submission contains the launch that submitted it.
    static func newest(_ label: String, _ plugin: PluginIdentifier?) -> (sql: String, arguments: StatementArguments) {
        let owner = plugin == nil ? "" : "AND plugin = (SELECT id FROM plugin WHERE identifier = ?)"
        let sql = """
            SELECT number, launch, submission FROM journal
            WHERE label = ? AND launch IS NOT NULL AND submission IS NOT NULL AND +event IN (\(TaskOutcome.sqlList))
                \(owner)
            ORDER BY number DESC LIMIT 1
            """
        return (sql, plugin.map { [label, $0.text] } ?? [label])
    }
}
