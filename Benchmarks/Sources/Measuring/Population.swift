// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Many plugins with many pending requests, in a directory that is prepared once: a host catalogues the plugins, and
/// SQL fills the ledger. Half of the requests wait for idleness, half for a date. No event waits, so a host that starts
/// with the ledger launches no plugin.
package struct Population {
    package let name: String
    package let plugins: Int
    package let each: Int
    package let path: String

    /// - Parameter path: directory of the host; it is kept for later runs.
    package init(name: String, plugins: Int, each: Int, path: String) {
        (self.name, self.plugins, self.each, self.path) = (name, plugins, each, path)
    }

    package var total: Int { plugins * each }
    private var ledger: String { path + "/ledger.prepared" }
    /// The identifier of a plugin. Identifiers sort by number, as in the host's lists.
    package func plugin(_ number: Int) -> String { "com.example.size" + String(format: "%05d", number) }
    /// The identifier of a task, 33 bytes long.
    package func task(_ number: Int, of plugin: Int) -> String {
        self.plugin(plugin) + String(format: ".job.r%06d", number)
    }

    package func prepare(_ programs: Programs) throws {
        if FileManager.default.fileExists(atPath: ledger) { return print("\(name): is prepared") }
        let directory = try HostDirectory(path, configuration: configuration)
        try directory.install(library: programs.bench + "/libOverstays.so", as: "libSize.so")
        for number in 0..<plugins {
            try directory.add(plugin(number), library: "libSize.so", "permitted-identifiers: [\(plugin(number)).job.*]")
        }
        let host = try MeasuredHost(programs, in: directory)
        try host.waitUntilLoaded()
        host.stop()
        try Programs.output(of: "/usr/bin/sqlite3", ["-bail", directory.ledger], input: filling)
        try FileManager.default.moveItem(atPath: directory.ledger, toPath: ledger)
        print("\(name): \(plugins) plugins with \(each) requests each are prepared")
    }

    private var configuration: [String] {
        let lines = [
            "limits: { processing: 1000000 }",
            "conditions: { external-power: true, network: true, idle: false, high-load: false, low-memory: false,"
                + " hot: false, battery-low: false, power-saver: false, metered: false, gpu: false }",
            "plugins:",
        ]
        return lines + (0..<plugins).map { "  \(plugin($0)): { patterns-for-processing: true }" }
    }

    private var filling: String {
        """
        PRAGMA synchronous = OFF;
        PRAGMA cache_size = -500000;
        BEGIN;
        WITH RECURSIVE
            job(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM job WHERE n + 1 < \(each)),
            owner AS (
                SELECT id, identifier, row_number() OVER (ORDER BY identifier) - 1 AS rank
                FROM plugin WHERE identifier LIKE 'com.example.size%'
            )
        INSERT INTO request (
            plugin, identifier, number, kind, earliest_begin, requires_network, requires_external_power, submitter,
            submitted_at, attempts, runs_alone, was_interrupted, payload_size
        )
        SELECT
            id, identifier || printf('.job.r%06d', n), n * \(plugins) + rank + 1, 2,
            iif(n % 2, unixepoch() * 1000000000 + 30 * 86400 * 1000000000, NULL), 0, 0, id,
            unixepoch() * 1000000000, 0, 0, 0, 0
        FROM owner, job ORDER BY id, n;
        DELETE FROM event;
        UPDATE counter SET submission = \(total);
        SELECT iif(count(*) = \(total), 1, abs(-9223372036854775808)) FROM request;
        COMMIT;
        PRAGMA wal_checkpoint(TRUNCATE);
        """
    }

    /// The directory with the prepared ledger, restored after earlier runs.
    package func restored() throws -> HostDirectory {
        guard FileManager.default.fileExists(atPath: ledger) else {
            throw BenchmarkError("\(name) is not prepared; run HostAtSize with \(name) prepare")
        }
        let directory = HostDirectory(existing: path)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: directory.ledger + suffix) }
        try FileManager.default.copyItem(atPath: ledger, toPath: directory.ledger)
        return directory
    }

    package var ledgerMegabytes: Int {
        let size = try? FileManager.default.attributesOfItem(atPath: ledger)[.size] as? Int
        return (size ?? 0) >> 20
    }
}
