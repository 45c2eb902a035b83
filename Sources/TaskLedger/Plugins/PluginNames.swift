// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// The small numbers that stand for plugin identifiers in the other tables. A name once given stays.
struct PluginNames: Sendable {
    private var numbers: [PluginIdentifier: Int64] = [:]

    mutating func number(of plugin: PluginIdentifier, in database: Database) throws -> Int64 {
        if let known = numbers[plugin] { return known }
        try database.run("INSERT INTO plugin (identifier) VALUES (?) ON CONFLICT DO NOTHING", [plugin.text])
        let statement = try database.cachedStatement(sql: "SELECT id FROM plugin WHERE identifier = ?")
        guard let number = try Int64.fetchOne(statement, arguments: [plugin.text]) else {
            throw LedgerFault.contradiction("table plugin does not hold \(plugin) after it was inserted")
        }
        numbers[plugin] = number
        return number
    }

    /// Nil for a person.
    mutating func number(of submitter: Submitter, in database: Database) throws -> Int64? {
        guard case .plugin(let identifier) = submitter else { return nil }
        return try number(of: identifier, in: database)
    }
}
