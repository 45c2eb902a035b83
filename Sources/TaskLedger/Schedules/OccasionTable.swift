// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    func recordOccasion(of identifier: TaskIdentifier, at time: WallTime) throws {
        try run(
            """
            INSERT INTO occasion (identifier, at) VALUES (?, ?)
            ON CONFLICT (identifier) DO UPDATE SET at = excluded.at
            """,
            [identifier.text, time.nanoseconds]
        )
    }

    /// Forgets the occasions of what the plugin was permitted, and no other plugin is now.
    func forgetOccasions(of plugin: PluginIdentifier) throws {
        let known = try knownPlugins()
        func isPermitted(_ identifier: TaskIdentifier, to plugins: [KnownPlugin]) -> Bool {
            plugins.contains { $0.permitted.contains { $0.covers(identifier) } }
        }
        let (own, others) = (known.filter { $0.identifier == plugin }, known.filter { $0.identifier != plugin })
        for identifier in try occasions().keys
        where isPermitted(identifier, to: own) && !isPermitted(identifier, to: others) {
            try run("DELETE FROM occasion WHERE identifier = ?", [identifier.text])
        }
    }

    func occasions() throws -> [TaskIdentifier: WallTime] {
        let occasions = try rows("SELECT identifier, at FROM occasion", of: "occasion") { row in
            (try row.value({ try $0.text() }, { TaskIdentifier($0) }), try row.wallTime())
        }
        return Dictionary(occasions) { first, _ in first }
    }
}
