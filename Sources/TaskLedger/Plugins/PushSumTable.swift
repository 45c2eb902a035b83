// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Adds counts to those of the plugin and user. A row whose counts are zero is deleted.
    func countPushes(of plugin: PluginIdentifier, _ sum: PushSum, names: inout PluginNames) throws {
        let number = try names.number(of: plugin, in: self)
        let user = (sum.user?.uid).map(Int64.init) ?? PushSums.noUser
        try run(
            PushSums.add,
            number,
            user,
            (sum.user?.pid).map(Int64.init) ?? 0,
            sum.user?.command,
            sum.accepted,
            sum.replaced,
            sum.lapsed,
            sum.last.rawValue
        )
        try run(PushSums.deleteZero, number, user)
    }
}

extension Database {
    /// The counts of all pushes without a journal entry.
    func pushSums() throws -> [PluginIdentifier: [PushSum]] {
        let sql = """
            SELECT identifier, user_id, user_process, user_command, accepted, replaced, lapsed, last
            FROM push_sum JOIN plugin ON plugin.id = push_sum.plugin ORDER BY user_id
            """
        let sums = try rows(sql, of: "push_sum") { row in
            let plugin = try row.plugin()
            let user = try row.integer("user_id") == PushSums.noUser ? nil : row.callingUser()
            return (
                plugin,
                PushSum(
                    user: user,
                    accepted: try row.count("accepted"),
                    replaced: try row.count("replaced"),
                    lapsed: try row.count("lapsed"),
                    last: try row.submission("last")
                )
            )
        }
        return Dictionary(grouping: sums, by: \.0).mapValues { $0.map(\.1) }
    }
}

private enum PushSums {
    /// The user ID in the row of pushes that no call caused.
    static let noUser: Int64 = -1
    static let add = StatementText(
        """
        INSERT INTO push_sum (plugin, user_id, user_process, user_command, accepted, replaced, lapsed, last)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (plugin, user_id) DO UPDATE SET
            user_process = excluded.user_process, user_command = excluded.user_command,
            accepted = accepted + excluded.accepted, replaced = replaced + excluded.replaced,
            lapsed = lapsed + excluded.lapsed, last = max(last, excluded.last)
        """
    )
    static let deleteZero = StatementText(
        "DELETE FROM push_sum WHERE plugin = ? AND user_id = ? AND accepted = 0 AND replaced = 0 AND lapsed = 0"
    )
}

extension LedgerSchema {
    /// The seventeenth migration: the numbers of pushes that have no journal entry yet, by plugin and user.
    static let seventeenth = """
        CREATE TABLE push_sum (
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            user_id INTEGER NOT NULL,
            user_process INTEGER NOT NULL,
            user_command TEXT,
            accepted INTEGER NOT NULL,
            replaced INTEGER NOT NULL,
            lapsed INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (plugin, user_id)
        ) STRICT, WITHOUT ROWID;
        """
}
