// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    func remember(_ plugin: KnownPlugin, names: inout PluginNames) throws {
        let number = try names.number(of: plugin.identifier, in: self)
        try run(
            Known.store,
            number,
            plugin.manifestPath,
            plugin.manifestDigest,
            plugin.libraryDigest,
            // Identifiers contain no line feed.
            plugin.permitted.map(\.description).joined(separator: "\n"),
            plugin.missingSince?.nanoseconds
        )
    }

    /// Deletes the recorded facts, the fetch interval, the occurrences of schedules, the pause, the uses, the kept
    /// payloads, the cursors, the answers to pushes and the transfers of the plugin. Does nothing when the plugin is not
    /// recorded.
    func forget(_ plugin: PluginIdentifier, names: inout PluginNames) throws {
        guard let number = try names.knownNumber(of: plugin, in: self) else { return }
        try forgetFetch(ofPlugin: number)
        try forgetPause(ofPlugin: number)
        try forgetUses(ofPlugin: number)
        try forgetKeptPayloads(ofPlugin: number)
        try forgetCursors(ofPlugin: number)
        try forgetTransfers(ofPlugin: number)
        try forgetPushAnswers(ofPlugin: number)
        try forgetOccurrences(of: plugin)
        try run(Known.forget, number)
    }
}

extension Database {
    func knownPlugins() throws -> [KnownPlugin] {
        let sql = """
            SELECT identifier, manifest_path, manifest_digest, library_digest, permitted, missing_since
            FROM known_plugin JOIN plugin ON plugin.id = known_plugin.plugin ORDER BY identifier
            """
        return try rows(sql, of: "known_plugin") { row in
            KnownPlugin(
                identifier: try row.plugin(),
                manifestPath: try row.text("manifest_path"),
                manifestDigest: try row.text("manifest_digest"),
                libraryDigest: try row.text("library_digest"),
                permitted: try row.value("permitted", fromText: permittedIdentifiers),
                missingSince: try row.optionalWallTime("missing_since")
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

private enum Known {
    static let store = StatementText(
        """
        INSERT INTO known_plugin (plugin, manifest_path, manifest_digest, library_digest, permitted, missing_since)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (plugin) DO UPDATE SET
            manifest_path = excluded.manifest_path, manifest_digest = excluded.manifest_digest,
            library_digest = excluded.library_digest, permitted = excluded.permitted,
            missing_since = excluded.missing_since
        """
    )
    static let forget = StatementText("DELETE FROM known_plugin WHERE plugin = ?")
}
