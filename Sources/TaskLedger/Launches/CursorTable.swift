// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
package import TaskModel

extension Ledger {
    /// The cursor of the task identifier; nil when it has none.
    package func cursor(of identifier: TaskIdentifier) throws(LedgerError) -> StoredCursor? {
        try read("reading the cursor of \(identifier)") { try $0.cursors(of: [identifier]).first }
    }

    /// The cursors of those task identifiers that have one.
    package func cursors(of identifiers: [TaskIdentifier]) throws(LedgerError) -> [StoredCursor] {
        try read("reading cursors") { try $0.cursors(of: identifiers) }
    }
}

/// Statements on the table of cursors: one row per plugin and task identifier.
extension WriteAccess {
    /// Maximum number of cursors of one plugin. Beyond it, a new cursor deletes those that moved least recently, but
    /// never itself: its time is the oldest when the clock was set back, and its call is answered as recorded.
    private static let mostCursors = 1_000

    /// Stores the cursor of a running task, or deletes it when the task has discarded it. No effect without contents,
    /// and when a newer submission of the identifier wrote the stored cursor.
    func storeCursor(_ change: CursorChange, names: inout PluginNames) throws {
        let plugin = try names.number(of: change.plugin, in: self)
        let identifier = change.identifier
        switch change.image {
        case nil: return
        case .discarded: try dropCursor(of: change.plugin, identifier, until: change.submission, names: &names)
        case .bytes(let bytes):
            let count = try integer(Cursors.count, plugin) ?? 0
            let launch = change.isMovement ? change.launch.rawValue : nil
            try run(Cursors.store) { run in
                try run.bind(plugin)
                try run.bind(identifier.text)
                try run.bind(Data(bytes))
                try run.bind(change.version)
                try run.bind(change.submission.rawValue)
                try run.bind(launch)
                try run.bind(change.at.nanoseconds)
            }
            if count >= Self.mostCursors {
                try run(Cursors.trim, plugin, identifier.text, plugin, Self.mostCursors)
            }
        }
    }

    /// Deletes the cursor of a task.
    ///
    /// - Parameter submission: keeps a cursor that a newer submission wrote; nil deletes it in any case.
    func dropCursor(
        of plugin: PluginIdentifier,
        _ identifier: TaskIdentifier,
        until submission: SubmissionNumber?,
        names: inout PluginNames
    ) throws {
        guard let number = try names.knownNumber(of: plugin, in: self) else { return }
        try run(Cursors.remove, number, identifier.text, submission?.rawValue ?? Int64.max)
    }

    /// Sets the number of runs in a row that did not move the cursor, unless a newer submission wrote the cursor.
    func setStandstills(
        of plugin: PluginIdentifier,
        _ identifier: TaskIdentifier,
        _ count: Int,
        until submission: SubmissionNumber,
        names: inout PluginNames
    ) throws {
        guard let number = try names.knownNumber(of: plugin, in: self) else { return }
        try run(Cursors.setStandstills, count, number, identifier.text, submission.rawValue)
    }

    func forgetCursors(ofPlugin number: Int64) throws { try run(Cursors.forget, number) }
}

extension Database {
    /// The cursors of the unfinished tasks of a launch, by submission number.
    func cursors(of launch: LaunchNumber) throws -> [SubmissionNumber: TaskCursor] {
        let found = try rows(Cursors.ofLaunch, [launch.rawValue], of: "cursor") { row in
            (try row.submission("submission"), try row.cursor())
        }
        return Dictionary(found) { first, _ in first }
    }

    /// The cursor of an unfinished task of that launch; nil without one.
    func cursor(of submission: SubmissionNumber, in launch: LaunchNumber) throws -> TaskCursor? {
        try rows(Cursors.ofTask, [launch.rawValue, submission.rawValue], of: "cursor") { try $0.cursor() }.first
    }

    /// The unfinished tasks of a launch whose cursor the launch has moved.
    func movedTasks(of launch: LaunchNumber) throws -> Set<SubmissionNumber> {
        Set(try rows(Cursors.moved, [launch.rawValue], of: "cursor") { try $0.submission("submission") })
    }

    fileprivate func cursors(of identifiers: [TaskIdentifier]) throws -> [StoredCursor] {
        try identifiers.flatMap { identifier in
            try rows(Cursors.ofIdentifier, [identifier.text], of: "cursor") { row in
                StoredCursor(plugin: try row.plugin(), identifier: identifier, cursor: try row.cursor())
            }
        }
    }
}

extension RowReader {
    fileprivate mutating func cursor() throws -> TaskCursor {
        TaskCursor(
            bytes: try bytes("bytes"),
            version: try text("version"),
            movedAt: try wallTime("moved_at"),
            submission: try submission("written_by"),
            standstills: try count("standstills")
        )
    }
}

private enum Cursors {
    static let count = StatementText("SELECT count(*) FROM cursor WHERE plugin = ?")
    static let store = StatementText(
        """
        INSERT INTO cursor (plugin, identifier, bytes, version, written_by, moved_in, moved_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (plugin, identifier) DO UPDATE SET
            bytes = excluded.bytes, version = excluded.version, written_by = excluded.written_by,
            moved_in = excluded.moved_in, moved_at = excluded.moved_at,
            standstills = iif(excluded.moved_in IS NULL, standstills, 0)
        WHERE written_by <= excluded.written_by
        """
    )
    static let trim = StatementText(
        """
        DELETE FROM cursor WHERE plugin = ? AND identifier <> ? AND id NOT IN (
            SELECT id FROM cursor WHERE plugin = ? ORDER BY moved_at DESC, id DESC LIMIT ?
        )
        """
    )
    static let remove = StatementText("DELETE FROM cursor WHERE plugin = ? AND identifier = ? AND written_by <= ?")
    static let setStandstills = StatementText(
        "UPDATE cursor SET standstills = ? WHERE plugin = ? AND identifier = ? AND written_by <= ?"
    )
    static let forget = StatementText("DELETE FROM cursor WHERE plugin = ?")

    private static let columns = "bytes, version, moved_at, written_by, standstills"

    static let ofIdentifier = """
        SELECT plugin.identifier AS identifier, \(columns)
        FROM cursor JOIN plugin ON plugin.id = cursor.plugin WHERE cursor.identifier = ? ORDER BY plugin.identifier
        """

    private static let ofTasks = """
        FROM task JOIN launch ON launch.number = task.launch
            JOIN cursor ON cursor.plugin = launch.plugin AND cursor.identifier = task.label
        WHERE task.launch = ? AND is_over = 0 AND event_type IS NULL
        """
    static let ofLaunch = "SELECT submission, \(columns) \(ofTasks)"
    static let ofTask = "\(ofLaunch) AND submission = ?"
    static let moved = "SELECT submission \(ofTasks) AND moved_in = task.launch AND written_by = submission"
}

extension LedgerSchema {
    /// The sixteenth migration: the cursors of tasks. `moved_in` is the launch that moved the cursor last; NULL when
    /// that launch left the cursor where it began.
    static let sixteenth = """
        CREATE TABLE cursor (
            id INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            identifier TEXT NOT NULL,
            bytes BLOB NOT NULL,
            version TEXT NOT NULL,
            written_by INTEGER NOT NULL,
            moved_in INTEGER,
            moved_at INTEGER NOT NULL,
            standstills INTEGER NOT NULL DEFAULT 0,
            UNIQUE (plugin, identifier)
        ) STRICT;

        CREATE INDEX cursor_by_identifier ON cursor (identifier);
        """
}
