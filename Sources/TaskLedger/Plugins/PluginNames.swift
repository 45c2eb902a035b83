// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// The small numbers that stand for plugin identifiers in the other tables. A name once given stays.
struct PluginNames: Sendable {
    /// Stands among the names for the operator's schedule; no plugin's name is without a dot.
    static let schedule = Submitter.schedule.name

    private var numbers: [String: Int64] = [:]

    mutating func number(of plugin: PluginIdentifier, in database: Database) throws -> Int64 {
        try number(of: plugin.text, in: database)
    }

    /// Nil for a person.
    mutating func number(of submitter: Submitter, in database: Database) throws -> Int64? {
        switch submitter {
        case .person: nil
        case .plugin(let identifier): try number(of: identifier, in: database)
        case .schedule: try number(of: Self.schedule, in: database)
        }
    }

    private mutating func number(of name: String, in database: Database) throws -> Int64 {
        if let known = numbers[name] { return known }
        try database.run("INSERT INTO plugin (identifier) VALUES (?) ON CONFLICT DO NOTHING", [name])
        let statement = try database.cachedStatement(sql: "SELECT id FROM plugin WHERE identifier = ?")
        guard let number = try Int64.fetchOne(statement, arguments: [name]) else {
            throw LedgerFault.contradiction("table plugin does not hold \(name) after it was inserted")
        }
        numbers[name] = number
        return number
    }
}
