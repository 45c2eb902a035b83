// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    /// Plugins with pending requests or events, or with files of transfers that they have not taken, ordered by
    /// identifier. Reads few rows per plugin.
    func pendingPlugins() throws -> [PluginIdentifier] {
        try rows(Pending.plugins, of: "plugin") { try $0.plugin() }
    }

    /// The pending work of a plugin; empty for an unknown plugin. Reads only the rows of that plugin.
    func work(of plugin: PluginIdentifier) throws -> PluginWork {
        let row = try cachedStatement(sql: "SELECT id FROM plugin WHERE identifier = ?")
        guard let id = try Int64.fetchOne(row, arguments: [plugin.text]) else { return PluginWork(plugin: plugin) }
        return PluginWork(
            plugin: plugin,
            requests: try pendingRequests(of: plugin, id: id),
            events: try pendingEvents(of: plugin, id: id),
            waits: try openWaits(ofPlugin: id),
            deferrals: try deferrals(ofPlugin: id),
            transfers: try countedTransfers(of: plugin, id: id)
        )
    }
}

enum Pending {
    static let plugins = """
        SELECT identifier FROM plugin
        WHERE EXISTS (SELECT 1 FROM request WHERE request.plugin = plugin.id)
            OR EXISTS (SELECT 1 FROM event WHERE event.plugin = plugin.id)
            OR EXISTS (SELECT 1 FROM transfer WHERE transfer.plugin = plugin.id AND \(Transfers.isCounted))
        ORDER BY identifier
        """

    static let hasEvent = "SELECT EXISTS (SELECT 1 FROM event WHERE plugin = ?)"

    /// The SQL query that tests whether a plugin has a pending request of a class. It compares the columns that
    /// `WorkClass(of:)` reads. Protection is compared for health research only, and a request without continued terms
    /// counts as a request without resources.
    static let hasRequest = """
        SELECT EXISTS (
            SELECT 1 FROM request
            WHERE plugin = ? AND kind = ? AND requires_network = ? AND requires_external_power = ?
                AND iif(kind = ?, protection, 0) = ? AND ifnull(resources, 0) & 0xffff = ?
        )
        """
}

extension Database {
    /// Whether a plugin has pending work of a class; false for an invalid class code.
    func hasPendingWork(ofClass code: Int64, plugin id: Int64) throws -> Bool {
        guard let workClass = WorkClass(code: code) else { return false }
        if workClass == .event {
            return try Bool.fetchOne(cachedStatement(sql: Pending.hasEvent), arguments: [id]) ?? false
        }
        let arguments: StatementArguments = [
            id, Int64(workClass.kind.rawValue), workClass.requiresNetwork, workClass.requiresExternalPower,
            Int64(TaskKind.healthResearch.rawValue), Int64(workClass.protection.rawValue),
            Int64(truncatingIfNeeded: workClass.resources.rawValue),
        ]
        return try Bool.fetchOne(cachedStatement(sql: Pending.hasRequest), arguments: arguments) ?? false
    }
}
