// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// The numbers that stand for plugin identifiers in all tables except `plugin` and `plugin_user`. The number of an
/// identifier never changes.
struct PluginNames: Sendable {
    /// The name that stands for the operator's schedules among the submitters. No plugin can have this name, because
    /// plugin identifiers contain a dot.
    static let schedule = Submitter.schedule.name

    private static let insert = StatementText("INSERT INTO plugin (identifier) VALUES (?)")
    private static let find = StatementText("SELECT id FROM plugin WHERE identifier = ?")

    private var numbers: [String: Int64] = [:]

    mutating func number(of plugin: PluginIdentifier, in access: WriteAccess) throws -> Int64 {
        try number(of: plugin.text, in: access)
    }

    /// The number of a submitter; nil for a user. A new submitter gets a number.
    mutating func number(of submitter: Submitter, in access: WriteAccess) throws -> Int64? {
        switch submitter {
        case .user: nil
        case .plugin(let identifier): try number(of: identifier, in: access)
        case .schedule: try number(of: Self.schedule, in: access)
        }
    }

    /// The number of a plugin; nil when the ledger does not contain its name.
    mutating func knownNumber(of plugin: PluginIdentifier, in access: WriteAccess) throws -> Int64? {
        if let known = numbers[plugin.text] { return known }
        let number = try access.integer(Self.find, plugin.text)
        numbers[plugin.text] = number
        return number
    }

    private mutating func number(of name: String, in access: WriteAccess) throws -> Int64 {
        if let known = numbers[name] { return known }
        if let stored = try access.integer(Self.find, name) {
            numbers[name] = stored
            return stored
        }
        try access.run(Self.insert, name)
        let number = access.database.lastInsertedRowID
        numbers[name] = number
        return number
    }
}
