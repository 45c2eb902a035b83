// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Stores the legacy fetch schedule of a plugin; nil deletes the stored schedule.
    func setFetch(of plugin: PluginIdentifier, _ schedule: FetchSchedule?, names: inout PluginNames) throws {
        guard let schedule else {
            if let number = try names.knownNumber(of: plugin, in: self) { try forgetFetch(ofPlugin: number) }
            return
        }
        let number = try names.number(of: plugin, in: self)
        try run(Fetch.store, number, schedule.interval.wholeNanoseconds, schedule.last.nanoseconds)
    }

    func forgetFetch(ofPlugin number: Int64) throws { try run(Fetch.forget, number) }
}

extension Database {
    func fetchSchedules() throws -> [PluginIdentifier: FetchSchedule] {
        let sql = """
            SELECT identifier, interval_ns, last FROM fetch_schedule JOIN plugin ON plugin.id = fetch_schedule.plugin
            """
        let schedules = try rows(sql, of: "fetch_schedule") { row in
            (
                try row.plugin(),
                FetchSchedule(interval: try row.duration("interval_ns"), last: try row.wallTime("last"))
            )
        }
        return Dictionary(schedules) { first, _ in first }
    }
}

private enum Fetch {
    static let store = StatementText(
        """
        INSERT INTO fetch_schedule (plugin, interval_ns, last) VALUES (?, ?, ?)
        ON CONFLICT (plugin) DO UPDATE SET interval_ns = excluded.interval_ns, last = excluded.last
        """
    )
    static let forget = StatementText("DELETE FROM fetch_schedule WHERE plugin = ?")
}
