// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    /// The newest launches, newest first, at most `limit`: of one plugin or, when `plugin` is nil, of all plugins. If
    /// `before` is set, only launches with a lower number.
    func launches(limit: Int, before: LaunchNumber? = nil, plugin: PluginIdentifier?) throws -> [LaunchRecord] {
        let newest = "launch.number < ? ORDER BY launch.number DESC LIMIT ?"
        let bound = before?.rawValue ?? .max
        guard let plugin else { return try launchRecords("WHERE \(newest)", [bound, limit]) }
        return try launchRecords(
            "WHERE launch.plugin = (SELECT id FROM plugin WHERE identifier = ?) AND \(newest)",
            [plugin.text, bound, limit]
        )
    }

    /// Whether the plugin is to blame for the end of its newest launch, or for an outcome of a task in it; false while
    /// that launch runs, or when there is none. The statement reads the entries of one launch at most.
    func isFailing(_ plugin: PluginIdentifier) throws -> Bool {
        // The unary + keeps SQLite at the index of the entries by launch.
        let sql = """
            SELECT blame IS NOT NULL AND (blame = ? OR EXISTS (
                SELECT 1 FROM journal WHERE journal.launch = launch.number AND +journal.blame = ?
                    AND +journal.event IN (\(TaskOutcome.sqlList))
            )) AS failing
            FROM launch WHERE plugin = (SELECT id FROM plugin WHERE identifier = ?) ORDER BY number DESC LIMIT 1
            """
        let blame = Blame.plugin.rawValue
        return try rows(sql, [blame, blame, plugin.text], of: "launch") { try $0.flag("failing") }.first ?? false
    }

    func launch(_ number: LaunchNumber) throws -> LaunchRecord? {
        try launchRecords("WHERE launch.number = ?", [number.rawValue]).first
    }

    // Two statements, independent of the number of launches. `number` and `plugin` mean the same in both.
    private func launchRecords(_ selection: String, _ arguments: StatementArguments) throws -> [LaunchRecord] {
        let tasks = try taskRecords(of: "SELECT number FROM launch \(selection)", arguments)
        let sql = """
            SELECT number, identifier, lane, cause, started_at, budget_ns, grace_ns, pid, start_time, boot,
                control_group, manifest_digest, library_digest, outcome, ended_at, used_ns, blame, message
            FROM launch JOIN plugin ON plugin.id = launch.plugin \(selection)
            """
        return try rows(sql, arguments, of: "launch") { row in
            let number = try row.launch("number")
            return LaunchRecord(
                number: number,
                plugin: try row.plugin(),
                lane: try row.code("lane"),
                cause: try row.code("cause"),
                startedAt: try row.wallTime("started_at"),
                budget: try row.optionalDuration("budget_ns"),
                gracePeriod: try row.duration("grace_ns"),
                process: try row.process(),
                manifestDigest: try row.text("manifest_digest"),
                libraryDigest: try row.text("library_digest"),
                end: try row.launchEnd(),
                tasks: tasks[number] ?? []
            )
        }
    }

    private func taskRecords(
        of launches: String,
        _ arguments: StatementArguments
    ) throws -> [LaunchNumber: [LaunchRecord.Task]] {
        let sql = """
            SELECT launch, submission, kind, label, attempts, outcome, submitter, submitter_plugin.identifier AS
                submitter_name, submitted_at, earliest_begin
            FROM task LEFT JOIN plugin AS submitter_plugin ON submitter_plugin.id = task.submitter
            WHERE launch IN (\(launches)) ORDER BY launch, position
            """
        var tasks: [LaunchNumber: [LaunchRecord.Task]] = [:]
        try forEachRow(sql, arguments, of: "task") { row in
            let launch = try row.launch("launch")
            let kind: TaskKind = try row.code("kind")
            let task = LaunchRecord.Task(
                submission: try row.submission("submission"),
                kind: kind,
                label: try row.text("label"),
                attempts: try row.count("attempts"),
                outcome: try row.optional("outcome") { try $0.name($1) },
                submitter: kind == .event ? nil : try row.submitter(named: "submitter_name"),
                submittedAt: try row.wallTime("submitted_at"),
                earliestBegin: try row.optionalWallTime("earliest_begin")
            )
            tasks[launch, default: []].append(task)
        }
        return tasks
    }
}

extension RowReader {
    fileprivate mutating func launchEnd() throws -> LaunchEnd? {
        if try isNull("outcome") { return nil }
        return LaunchEnd(
            outcome: try name("outcome"),
            at: try wallTime("ended_at"),
            used: try optionalDuration("used_ns"),
            blame: try name("blame"),
            message: try text("message")
        )
    }
}
