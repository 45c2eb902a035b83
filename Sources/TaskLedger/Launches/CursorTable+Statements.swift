// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The statements on the table of cursors.
enum Cursors {
    /// Whether the cursor is one of the plugin's own code. Cursors of transfers are bounded by the open transfers.
    private static let isOfPlugin = "instr(identifier, ':') = 0"

    static let any = StatementText("SELECT 1 FROM cursor LIMIT 1")
    static let count = StatementText("SELECT count(*) FROM cursor WHERE plugin = ? AND \(isOfPlugin)")
    static let store = StatementText(
        """
        INSERT INTO cursor (plugin, identifier, bytes, version, written_by, moved_in, moved_at, origin, sequence)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(sequence), 0) + 1 FROM cursor WHERE plugin = ?))
        ON CONFLICT (plugin, identifier) DO UPDATE SET
            bytes = excluded.bytes, version = excluded.version, written_by = excluded.written_by,
            moved_in = excluded.moved_in, moved_at = excluded.moved_at, origin = excluded.origin,
            sequence = excluded.sequence,
            standstills = iif(excluded.moved_in IS NULL, standstills, 0)
        WHERE written_by <= excluded.written_by
        """
    )
    /// The tasks of the cursors that were written least recently, without the written one and those of running tasks.
    /// Ordered by the writes and not by their times, because the clock may have been set back.
    static let oldest = StatementText("\(evictable) ORDER BY sequence LIMIT ?")
    /// As `oldest`, without the cursors of pending requests, whose next runs would begin from the start.
    static let oldestIdle = StatementText(
        """
        \(evictable) AND NOT EXISTS (
            SELECT 1 FROM request WHERE request.plugin = cursor.plugin AND request.identifier = cursor.identifier
        )
        ORDER BY sequence LIMIT ?
        """
    )
    private static let evictable = """
        SELECT identifier FROM cursor WHERE plugin = ? AND identifier <> ? AND \(isOfPlugin) AND identifier NOT IN (
            SELECT label FROM launch JOIN task ON task.launch = launch.number
            WHERE launch.outcome IS NULL AND launch.plugin = ? AND is_over = 0
        )
        """
    static let remove = StatementText("DELETE FROM cursor WHERE plugin = ? AND identifier = ? AND written_by <= ?")
    /// Deletes the cursor that an older task wrote, when the request begins from the start.
    static let dropBefore = StatementText(
        """
        DELETE FROM cursor WHERE id = (
            SELECT cursor.id FROM request JOIN cursor USING (plugin, identifier)
            WHERE number = ? AND restarts = 1 AND written_by < number
        )
        """
    )
    static let beginFromStart = StatementText("UPDATE request SET restarts = 1 WHERE number = ?")
    static let origin = StatementText(
        "SELECT origin FROM cursor WHERE plugin = ? AND identifier = ? AND written_by = ?"
    )
    static let removeRow = StatementText("DELETE FROM cursor WHERE id = ?")
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
    static let origins = "SELECT cursor.id AS cursor_row, submission, origin \(ofTasks) AND origin IS NOT NULL"
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

    /// The nineteenth migration: the order of the writes of cursors, the payload that a cursor belongs to, requests
    /// that begin from the start, and the setbacks of work.
    static let nineteenth = """
        ALTER TABLE cursor ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE cursor ADD COLUMN origin INTEGER;
        UPDATE cursor SET sequence = (
            SELECT count(*) FROM cursor AS other
            WHERE other.plugin = cursor.plugin AND (other.moved_at, other.id) <= (cursor.moved_at, cursor.id)
        );
        CREATE INDEX cursor_by_sequence ON cursor (plugin, sequence);

        ALTER TABLE request ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE request ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE event ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE task ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0;
        """
}
