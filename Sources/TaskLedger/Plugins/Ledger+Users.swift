// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

// The users of main plugins, as indexes into the host's range of users.
extension Ledger {
    /// The index of each main plugin that has a user of its own. Blocks until it is read.
    package func userIndexes() throws(LedgerError) -> [PluginIdentifier: Int] {
        try read("reading the users of plugins") { try $0.userIndexes() }
    }

    /// The last recorded launch of a plugin; nil when none is recorded. Blocks until it is read.
    package func lastLaunch(of plugin: PluginIdentifier) throws(LedgerError) -> LaunchNumber? {
        do {
            return try database.read { database in
                let sql = "SELECT max(number) FROM launch WHERE plugin = (SELECT id FROM plugin WHERE identifier = ?)"
                return try Int64.fetchOne(database, sql: sql, arguments: [plugin.text]).map(LaunchNumber.init)
            }
        } catch {
            throw LedgerError(error, while: "reading the last launch of \(plugin)", in: place)
        }
    }

    /// Records the index of a main plugin. Another plugin that had the index loses it. Blocks until it is on disk.
    package func recordUser(index: Int, of main: PluginIdentifier) throws(LedgerError) {
        do {
            try database.write { database in
                try database.run("DELETE FROM plugin_user WHERE position = ?", [Int64(index)])
                try database.run(
                    "INSERT OR REPLACE INTO plugin_user (plugin, position) VALUES (?, ?)",
                    [main.text, Int64(index)]
                )
            }
        } catch {
            throw LedgerError(error, while: "recording the user of \(main)", in: place)
        }
    }
}

extension Database {
    func userIndexes() throws -> [PluginIdentifier: Int] {
        var indexes: [PluginIdentifier: Int] = [:]
        try forEachRow("SELECT plugin, position FROM plugin_user", of: "plugin_user") { row in
            indexes[try row.value("plugin", fromText: PluginIdentifier.init)] = Int(try row.integer("position"))
        }
        return indexes
    }
}

extension LedgerSchema {
    /// The eighth migration: the users of main plugins, by their position in the host's range of users.
    static let eighth = """
        CREATE TABLE plugin_user (
            plugin TEXT PRIMARY KEY,
            position INTEGER NOT NULL UNIQUE
        ) STRICT, WITHOUT ROWID;
        """
}
