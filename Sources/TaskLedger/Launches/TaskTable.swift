// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// Statements on the table of tasks: the tasks of running launches, and the rows that remain of ended tasks.
extension WriteAccess {
    /// Moves the row of pending work into a launch. Throws when the work is not pending: the launch would run work that
    /// cannot be requeued.
    ///
    /// The task's row takes retry state and deferral start from `work`, which may be newer than the pending row. The
    /// payload stays in its own table.
    func moveToRunning(_ work: PendingWork, of launch: LaunchNumber, plugin: Int64, position: Int) throws {
        let number = work.number
        switch work {
        case .request(let request):
            try run(Move.request) { run in
                try run.bind(launch.rawValue)
                try run.bind(position)
                try run.bind(changed: request)
                try run.bind(number.rawValue)
                try run.bind(plugin)
            }
        case .event(let event):
            try run(Move.event) { run in
                try run.bind(launch.rawValue)
                try run.bind(position)
                try run.bind(Int64(TaskKind.event.rawValue))
                try run.bind(event.type.name)
                try run.bind(event.retry)
                try run.bind(number.rawValue)
                try run.bind(plugin)
            }
        }
        guard changes == 1 else {
            throw LedgerFault.contradiction("\(work.kind.name) \(number), \(work.label), is not pending")
        }
        switch work {
        case .request:
            try run(Cursors.dropBefore, number.rawValue)
            try run(Request.remove, number.rawValue)
        case .event: try run(Event.remove, number.rawValue)
        }
    }

    /// Ends a running task.
    ///
    /// - Parameter keepingPayload: whether its payload is kept for a retry by a user.
    func endTask(_ launch: LaunchNumber, _ submission: SubmissionNumber, keepingPayload: Bool) throws {
        try finishTask(launch, submission)
        if keepingPayload { try keepPayload(of: submission, in: launch) }
        try removePayload(of: submission)
    }

    /// Requeues a running task. When a newer request with the same plugin and identifier is pending, the newer request
    /// stays, and the task ends instead.
    ///
    /// - Returns: the newer request that supersedes the task; nil when the task is pending again.
    func requeueTask(_ launch: LaunchNumber, _ work: PendingWork, names: inout PluginNames) throws -> SubmissionNumber?
    {
        let plugin = try names.number(of: work.plugin, in: self)
        switch work {
        case .request(let request):
            let submitter = try names.number(of: request.submitter, in: self)
            try run(Move.requestBack) { run in
                try run.bind(plugin)
                try run.bind(request.request.identifier.text)
                try run.bind(request, submitter: submitter)
                try run.bind(launch.rawValue)
                try run.bind(work.number.rawValue)
            }
        case .event(let event):
            try run(Move.eventBack) { run in
                try run.bind(plugin)
                try run.bind(Int64(event.type.rawValue))
                try run.bind(event.createdAt.nanoseconds)
                try run.bind(event.retry)
                try run.bind(launch.rawValue)
                try run.bind(work.number.rawValue)
            }
        }
        let isPending = changes == 1
        try finishTask(launch, work.number)
        if isPending { return nil }
        try removePayload(of: work.number)
        return try newerRequest(than: work, plugin: plugin)
    }

    private func newerRequest(than work: PendingWork, plugin: Int64) throws -> SubmissionNumber? {
        guard let identifier = work.identifier else { return nil }
        let sql = "SELECT number FROM request WHERE plugin = ? AND identifier = ? AND number > ?"
        let numbers = try database.rows(sql, [plugin, identifier.text, work.number.rawValue], of: "request") { row in
            try row.submission("number")
        }
        return numbers.first
    }

    func forbidRequeue(_ launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        try run(Move.forbidRequeue, launch.rawValue, submission.rawValue)
        try requireRunning(launch, submission)
    }

    /// Stores the outcome of a task in the task's row, in addition to its journal entry, so that a launch shows the
    /// outcomes of its tasks even after the journal was pruned.
    func record(_ outcome: TaskOutcome, of launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        try run(Move.recordOutcome, outcome.rawValue, launch.rawValue, submission.rawValue)
    }

    func requireNothingUnfinished(in launch: LaunchNumber) throws {
        if let label = try texts(Move.unfinished, launch.rawValue).first {
            throw LedgerFault.contradiction("launch \(launch) ends, but its task \(label) has no outcome")
        }
    }

    private func finishTask(_ launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        try run(Move.finish, launch.rawValue, submission.rawValue)
        try requireRunning(launch, submission)
    }

    private func requireRunning(_ launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        guard changes == 1 else {
            throw LedgerFault.contradiction("launch \(launch) has no running task of submission \(submission)")
        }
    }
}

/// The statements that move work between pending and running.
private enum Move {
    private static let submitted = RequestColumns.submitted.joined(separator: ", ")
    private static let changed = RequestColumns.changed.joined(separator: ", ")

    static let request = StatementText(
        """
        INSERT INTO task (launch, position, submission, label, \(submitted), \(changed), payload_size)
        SELECT ?, ?, number, identifier, \(submitted), \(RequestColumns.changed.map { _ in "?" }.joined(separator: ", ")),
            payload_size
        FROM request WHERE number = ? AND plugin = ?
        """
    )

    static let event = StatementText(
        """
        INSERT INTO task (
            launch, position, submission, kind, label, event_type, requires_network, requires_external_power,
            submitted_at, \(RetryColumns.list), payload_size
        )
        SELECT ?, ?, number, ?, ?, type, 0, 0, created_at, \(RetryColumns.placeholders), payload_size
        FROM event WHERE number = ? AND plugin = ?
        """
    )

    static let requestBack = StatementText(
        """
        INSERT INTO request (plugin, identifier, \(RequestColumns.list), number, payload_size)
        SELECT ?, ?, \(RequestColumns.placeholders), submission, payload_size
        FROM task WHERE launch = ? AND submission = ? AND is_over = 0
        ON CONFLICT (plugin, identifier) DO NOTHING
        """
    )

    static let eventBack = StatementText(
        """
        INSERT INTO event (plugin, type, created_at, \(RetryColumns.list), number, payload_size)
        SELECT ?, ?, ?, \(RetryColumns.placeholders), submission, payload_size
        FROM task WHERE launch = ? AND submission = ? AND is_over = 0
        """
    )

    static let finish = StatementText(
        "UPDATE task SET is_over = 1 WHERE launch = ? AND submission = ? AND is_over = 0"
    )
    static let forbidRequeue = StatementText(
        "UPDATE task SET is_kept_from_returning = 1 WHERE launch = ? AND submission = ? AND is_over = 0"
    )
    static let recordOutcome = StatementText("UPDATE task SET outcome = ? WHERE launch = ? AND submission = ?")
    static let unfinished = StatementText("SELECT label FROM task WHERE launch = ? AND is_over = 0 LIMIT 1")
}
