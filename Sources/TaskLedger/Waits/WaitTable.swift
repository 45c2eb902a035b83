// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    /// Opens a row for every reason that is new and closes those that are gone; what stays keeps its beginning.
    func recordWait(_ work: PendingWork, reasons: [String], at now: WallTime, names: inout PluginNames) throws {
        let submission = work.number.rawValue
        let open = try rows(Wait.open, [submission], of: "wait") { row in try row.text() }
        for reason in open where !reasons.contains(reason) {
            try run(Wait.close, [now.nanoseconds, submission, reason])
        }
        var known = Set(open)
        for reason in reasons where known.insert(reason).inserted {
            let plugin = try names.number(of: work.plugin, in: self)
            try run(Wait.begin, [submission, plugin, work.label, reason, now.nanoseconds])
        }
    }

    /// What is still open when a plugin is forgotten nobody will ever close. What it waited for before stays as long as
    /// the journal does.
    func forgetOpenWaits(of plugin: PluginIdentifier) throws {
        try run(Wait.forget, [plugin.text])
    }

    /// A host that died between two commits may have left open what nothing waits for any more: it ended with the last
    /// word of that host.
    func closeVainWaits() throws { try run(Wait.closeVain) }

    func openWaits() throws -> [SubmissionNumber: Set<String>] {
        var waits: [SubmissionNumber: Set<String>] = [:]
        _ = try rows(Wait.allOpen, of: "wait") { row in
            waits[try row.submission(), default: []].insert(try row.text())
        }
        return waits
    }

    func waits(_ selection: WaitSelection) throws -> [WaitRecord] {
        guard let submission = try selection.submission ?? newestWaiting(selection) else { return [] }
        let (sql, arguments) = selection.rows(of: submission)
        return try rows(sql, arguments, of: "wait") { row in
            _ = try row.integer()
            return WaitRecord(
                submission: submission,
                reason: try row.text(),
                since: try row.wallTime(),
                until: try row.optionalWallTime()
            )
        }
        .reversed()
    }

    private func newestWaiting(_ selection: WaitSelection) throws -> SubmissionNumber? {
        let (sql, arguments) = selection.newestSubmission
        return try rows(sql, arguments, of: "wait") { row in try row.submission() }.first
    }
}

enum Wait {
    static let open = "SELECT reason FROM wait WHERE submission = ? AND until IS NULL ORDER BY reason"
    static let allOpen = "SELECT submission, reason FROM wait WHERE until IS NULL"

    /// The clock may have been set back meanwhile; nothing ends before it began.
    static let close = "UPDATE wait SET until = max(since, ?) WHERE submission = ? AND reason = ? AND until IS NULL"
    static let begin = "INSERT INTO wait (submission, plugin, label, reason, since) VALUES (?, ?, ?, ?, ?)"

    static let closeVain = """
        UPDATE wait SET until = max(since, coalesce((SELECT max(at) FROM journal), since))
        WHERE until IS NULL AND submission NOT IN (SELECT number FROM request)
            AND submission NOT IN (SELECT number FROM event)
        """

    static let forget = """
        DELETE FROM wait WHERE until IS NULL AND plugin = (SELECT id FROM plugin WHERE identifier = ?)
        """
}
