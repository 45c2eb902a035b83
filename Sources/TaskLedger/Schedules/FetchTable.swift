// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    /// Nil for a plugin that wants no fetches.
    func setFetch(of plugin: PluginIdentifier, _ schedule: FetchSchedule?, names: inout PluginNames) throws {
        guard let schedule else { return try forgetFetch(of: plugin) }
        try run(
            """
            INSERT INTO fetch_schedule (plugin, interval_ns, last) VALUES (?, ?, ?)
            ON CONFLICT (plugin) DO UPDATE SET interval_ns = excluded.interval_ns, last = excluded.last
            """,
            [
                try names.number(of: plugin, in: self), schedule.interval.wholeNanoseconds, schedule.last.nanoseconds,
            ]
        )
    }

    func forgetFetch(of plugin: PluginIdentifier) throws {
        try run("DELETE FROM fetch_schedule WHERE plugin = (SELECT id FROM plugin WHERE identifier = ?)", [plugin.text])
    }

    func fetchSchedules() throws -> [PluginIdentifier: FetchSchedule] {
        let sql = """
            SELECT identifier, interval_ns, last FROM fetch_schedule JOIN plugin ON plugin.id = fetch_schedule.plugin
            """
        let schedules = try rows(sql, of: "fetch_schedule") { row in
            (try row.plugin(), FetchSchedule(interval: try row.duration(), last: try row.wallTime()))
        }
        return Dictionary(schedules) { first, _ in first }
    }
}
