// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    func remember(_ plugin: KnownPlugin, names: inout PluginNames) throws {
        try run(
            """
            INSERT INTO known_plugin (plugin, manifest_path, manifest_digest, library_digest, permitted, missing_since)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (plugin) DO UPDATE SET
                manifest_path = excluded.manifest_path, manifest_digest = excluded.manifest_digest,
                library_digest = excluded.library_digest, permitted = excluded.permitted,
                missing_since = excluded.missing_since
            """,
            [
                try names.number(of: plugin.identifier, in: self), plugin.manifestPath, plugin.manifestDigest,
                plugin.libraryDigest,
                // No identifier holds a line feed.
                plugin.permitted.map(\.description).joined(separator: "\n"), plugin.missingSince?.nanoseconds,
            ]
        )
    }

    /// Forgets the plugin and what it was to be woken for. Forgetting one that is not known changes nothing.
    func forget(_ plugin: PluginIdentifier) throws {
        try forgetFetch(of: plugin)
        try forgetOccasions(of: plugin)
        try run("DELETE FROM known_plugin WHERE plugin = (SELECT id FROM plugin WHERE identifier = ?)", [plugin.text])
    }

    func knownPlugins() throws -> [KnownPlugin] {
        let sql = """
            SELECT identifier, manifest_path, manifest_digest, library_digest, permitted, missing_since
            FROM known_plugin JOIN plugin ON plugin.id = known_plugin.plugin ORDER BY identifier
            """
        return try rows(sql, of: "known_plugin") { row in
            KnownPlugin(
                identifier: try row.plugin(),
                manifestPath: try row.text(),
                manifestDigest: try row.text(),
                libraryDigest: try row.text(),
                permitted: try row.value({ try $0.text() }, permittedIdentifiers),
                missingSince: try row.optionalWallTime()
            )
        }
    }
}

private func permittedIdentifiers(_ text: String) -> [PermittedIdentifier]? {
    var identifiers: [PermittedIdentifier] = []
    for line in text.split(separator: "\n") {
        guard let identifier = PermittedIdentifier(String(line)) else { return nil }
        identifiers.append(identifier)
    }
    return identifiers
}
