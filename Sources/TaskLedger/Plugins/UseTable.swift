// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

extension WriteAccess {
    /// Stores the uses of a plugin by hour of the week.
    func setUses(of plugin: PluginIdentifier, _ uses: UseHistogram, names: inout PluginNames) throws {
        try run(Uses.store, try names.number(of: plugin, in: self), uses.newest, Data(uses.weights))
    }

    func forgetUses(ofPlugin number: Int64) throws { try run(Uses.forget, number) }
}

extension Database {
    /// The uses of all plugins. A row with another number of hours has no effect: uses only advise.
    func uses() throws -> [PluginIdentifier: UseHistogram] {
        let sql = "SELECT identifier, newest, weights FROM plugin_use JOIN plugin ON plugin.id = plugin_use.plugin"
        let uses = try rows(sql, of: "plugin_use") { row in
            (try row.plugin(), UseHistogram(weights: try row.bytes("weights"), newest: try row.integer("newest")))
        }
        return Dictionary(uses.compactMap { plugin, uses in uses.map { (plugin, $0) } }) { first, _ in first }
    }
}

private enum Uses {
    static let store = StatementText(
        """
        INSERT INTO plugin_use (plugin, newest, weights) VALUES (?, ?, ?)
        ON CONFLICT (plugin) DO UPDATE SET newest = excluded.newest, weights = excluded.weights
        """
    )
    static let forget = StatementText("DELETE FROM plugin_use WHERE plugin = ?")
}

extension LedgerSchema {
    /// The fourteenth migration: the uses of plugins by hour of the week. `newest` is the number of the hour of the
    /// newest use in local time, `weights` has one byte for each hour of the week.
    static let fourteenth = """
        CREATE TABLE plugin_use (
            plugin INTEGER PRIMARY KEY REFERENCES plugin (id),
            newest INTEGER NOT NULL,
            weights BLOB NOT NULL
        ) STRICT;
        """
}
