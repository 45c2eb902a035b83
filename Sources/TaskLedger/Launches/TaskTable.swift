// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// The tasks of launches: what runs, with its payload, and what is remembered of a task when it is over.
extension Database {
    /// Throws when the work is not pending: a launch must never run what nobody could return.
    func moveToRunning(_ work: PendingWork, of launch: LaunchNumber, plugin: Int64, position: Int) throws {
        let number = work.number.rawValue
        switch work {
        case .request:
            try run(Move.request, [launch.rawValue, position, number, plugin])
        case .event(let event):
            try run(
                Move.event,
                [launch.rawValue, position, Int64(TaskKind.event.rawValue), event.type.name, number, plugin]
            )
        }
        guard changesCount == 1 else {
            throw LedgerFault.contradiction("\(work.kind.name) \(number), \(work.label), is not pending")
        }
        switch work {
        case .request: try removeRequest(work.number)
        case .event: try removeEvent(work.number)
        }
    }

    func endTask(_ launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        try run(
            "UPDATE task SET is_over = 1, payload = NULL WHERE launch = ? AND submission = ? AND is_over = 0",
            [launch.rawValue, submission.rawValue]
        )
        try requireRunning(launch, submission)
    }

    /// What is pending under the same plugin and identifier meanwhile is newer and stays.
    func returnTask(_ launch: LaunchNumber, _ work: PendingWork, names: inout PluginNames) throws {
        let plugin = try names.number(of: work.plugin, in: self)
        let running: StatementArguments = [launch.rawValue, work.number.rawValue]
        switch work {
        case .request(let request):
            let key: StatementArguments = [plugin, request.request.identifier.text]
            try run(Move.requestBack, key + RequestColumns.values(of: request, names: &names, in: self) + running)
        case .event(let event):
            let retry = event.retry
            let values: StatementArguments = [
                plugin, Int64(event.type.rawValue), event.createdAt.nanoseconds, retry.attempts,
                retry.notBefore?.nanoseconds, retry.runsAlone, retry.wasInterrupted,
            ]
            try run(Move.eventBack, values + running)
        }
        try endTask(launch, work.number)
    }

    func keepFromReturning(_ launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        try run(
            "UPDATE task SET is_kept_from_returning = 1 WHERE launch = ? AND submission = ? AND is_over = 0",
            [launch.rawValue, submission.rawValue]
        )
        try requireRunning(launch, submission)
    }

    /// Kept beside the task, so that a launch still shows its outcomes when the journal was pruned.
    func record(_ outcome: TaskOutcome, of launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        try run(
            "UPDATE task SET outcome = ? WHERE launch = ? AND submission = ?",
            [outcome.rawValue, launch.rawValue, submission.rawValue]
        )
    }

    func requireNothingUnfinished(in launch: LaunchNumber) throws {
        let sql = "SELECT label FROM task WHERE launch = ? AND is_over = 0 LIMIT 1"
        if let label = try String.fetchOne(cachedStatement(sql: sql), arguments: [launch.rawValue]) {
            throw LedgerFault.contradiction("launch \(launch) ends, but its task \(label) neither ended nor returned")
        }
    }

    /// In the order of the batch.
    func unfinishedTasks(of launch: LaunchNumber, plugin: PluginIdentifier) throws -> [UnfinishedTask] {
        let sql = """
            SELECT launch, submission, is_kept_from_returning, event_type, label, \(RequestColumns.readable)
            FROM task LEFT JOIN plugin AS other ON other.id = task.submitter
            WHERE launch = ? AND is_over = 0 ORDER BY position
            """
        return try rows(sql, [launch.rawValue], of: "task") { row in
            try UnfinishedTask(of: plugin, from: &row)
        }
    }

    func payloads(of launch: LaunchNumber) throws -> [SubmissionNumber: [UInt8]] {
        let sql = "SELECT submission, payload FROM task WHERE launch = ? AND is_over = 0"
        let pairs = try rows(sql, [launch.rawValue], of: "task") { row in (try row.submission(), try row.bytes()) }
        return Dictionary(pairs) { first, _ in first }
    }

    func payload(of submission: SubmissionNumber, in launch: LaunchNumber) throws -> [UInt8]? {
        let sql = "SELECT submission, payload FROM task WHERE launch = ? AND submission = ? AND is_over = 0"
        return try rows(sql, [launch.rawValue, submission.rawValue], of: "task") { row in
            _ = try row.submission()
            return try row.bytes()
        }
        .first
    }

    private func requireRunning(_ launch: LaunchNumber, _ submission: SubmissionNumber) throws {
        guard changesCount == 1 else {
            throw LedgerFault.contradiction("launch \(launch) has no running task \(submission)")
        }
    }
}

/// A task of a running launch that has no outcome yet.
struct UnfinishedTask {
    let work: PendingWork
    let isKeptFromReturning: Bool

    fileprivate init(of plugin: PluginIdentifier, from row: inout RowReader) throws {
        _ = try row.launch()
        let number = try row.submission()
        isKeptFromReturning = try row.flag()
        guard let type: EventType = try row.optionalCode() else {
            work = .request(try PendingRequest(number, of: plugin, from: &row))
            return
        }
        // The label comes first.
        row.skip(1 + RequestColumns.ofRequestsAlone)
        let event = PendingEvent(
            plugin: plugin,
            number: number,
            type: type,
            createdAt: try row.wallTime(),
            retry: try row.retry()
        )
        work = .event(event)
    }
}

/// The statements between pending and running. Payloads move inside SQLite, they never come up here.
private enum Move {
    static let request = """
        INSERT INTO task (launch, position, submission, label, \(RequestColumns.list), payload)
        SELECT ?, ?, number, identifier, \(RequestColumns.list), payload
        FROM request WHERE number = ? AND plugin = ?
        """

    static let event = """
        INSERT INTO task (
            launch, position, submission, kind, label, event_type, requires_network, requires_external_power,
            submitted_at, attempts, not_before, runs_alone, was_interrupted, payload
        )
        SELECT ?, ?, number, ?, ?, type, 0, 0,
            created_at, attempts, not_before, runs_alone, was_interrupted, payload
        FROM event WHERE number = ? AND plugin = ?
        """

    static let requestBack = """
        INSERT INTO request (plugin, identifier, \(RequestColumns.list), number, payload)
        SELECT ?, ?, \(RequestColumns.placeholders), submission, payload
        FROM task WHERE launch = ? AND submission = ? AND is_over = 0
        ON CONFLICT (plugin, identifier) DO NOTHING
        """

    static let eventBack = """
        INSERT INTO event (
            plugin, type, created_at, attempts, not_before, runs_alone, was_interrupted, number, payload
        )
        SELECT ?, ?, ?, ?, ?, ?, ?, submission, payload
        FROM task WHERE launch = ? AND submission = ? AND is_over = 0
        """
}
