// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    func recordOccurrence(of identifier: TaskIdentifier, at time: WallTime) throws {
        try run(OccurrenceStatements.store, identifier.text, time.nanoseconds)
    }

    /// Deletes the recorded occurrences of all identifiers that are permitted to the plugin, except identifiers that
    /// are also permitted to another recorded plugin.
    func forgetOccurrences(of plugin: PluginIdentifier) throws {
        let known = try database.knownPlugins()
        func isPermitted(_ identifier: TaskIdentifier, to plugins: [KnownPlugin]) -> Bool {
            plugins.contains { $0.permitted.contains { $0.covers(identifier) } }
        }
        let (own, others) = (known.filter { $0.identifier == plugin }, known.filter { $0.identifier != plugin })
        for identifier in try database.occurrences().keys
        where isPermitted(identifier, to: own) && !isPermitted(identifier, to: others) {
            try run(OccurrenceStatements.forget, identifier.text)
        }
    }
}

extension Database {
    func occurrences() throws -> [TaskIdentifier: WallTime] {
        let occurrences = try rows("SELECT identifier, at FROM occasion", of: "occasion") { row in
            (try row.value("identifier", fromText: { TaskIdentifier($0) }), try row.wallTime("at"))
        }
        return Dictionary(occurrences) { first, _ in first }
    }
}

private enum OccurrenceStatements {
    static let store = StatementText(
        """
        INSERT INTO occasion (identifier, at) VALUES (?, ?)
        ON CONFLICT (identifier) DO UPDATE SET at = excluded.at
        """
    )
    static let forget = StatementText("DELETE FROM occasion WHERE identifier = ?")
}
