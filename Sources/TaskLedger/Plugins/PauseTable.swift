// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Stores the pause of a plugin; nil deletes the stored pause.
    func setPause(of plugin: PluginIdentifier, _ pause: PluginPause?, names: inout PluginNames) throws {
        guard let pause else {
            if let number = try names.knownNumber(of: plugin, in: self) { try forgetPause(ofPlugin: number) }
            return
        }
        let number = try names.number(of: plugin, in: self)
        try run(
            Pause.store,
            number,
            pause.since.nanoseconds,
            pause.until?.nanoseconds,
            (pause.user?.uid).map(Int64.init),
            (pause.user?.pid).map(Int64.init),
            pause.user?.command
        )
    }

    func forgetPause(ofPlugin number: Int64) throws { try run(Pause.forget, number) }
}

extension Database {
    func pauses() throws -> [PluginIdentifier: PluginPause] {
        let sql = """
            SELECT identifier, since, until, user_id, user_process, user_command
            FROM plugin_pause JOIN plugin ON plugin.id = plugin_pause.plugin
            """
        let pauses = try rows(sql, of: "plugin_pause") { row in
            (
                try row.plugin(),
                PluginPause(
                    since: try row.wallTime("since"),
                    until: try row.optionalWallTime("until"),
                    user: try row.callingUser()
                )
            )
        }
        return Dictionary(pauses) { first, _ in first }
    }
}

private enum Pause {
    static let store = StatementText(
        """
        INSERT INTO plugin_pause (plugin, since, until, user_id, user_process, user_command) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (plugin) DO UPDATE SET
            since = excluded.since, until = excluded.until, user_id = excluded.user_id,
            user_process = excluded.user_process, user_command = excluded.user_command
        """
    )
    static let forget = StatementText("DELETE FROM plugin_pause WHERE plugin = ?")
}

extension LedgerSchema {
    /// The ninth migration: the pauses of plugins, each with the user who made it.
    static let ninth = """
        CREATE TABLE plugin_pause (
            plugin INTEGER PRIMARY KEY REFERENCES plugin (id),
            since INTEGER NOT NULL,
            until INTEGER,
            user_id INTEGER,
            user_process INTEGER,
            user_command TEXT
        ) STRICT;
        """
}
