// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    /// Maximum number of past launches in a snapshot. It covers a week of a busy host, and is enough for every policy.
    static let mostPastLaunches = 20_000

    /// The newest launches that ended at `begin` or later, at most `limit`, oldest first.
    func pastLaunches(since begin: WallTime, limit: Int = mostPastLaunches) throws -> [PastLaunch] {
        try rows(PastLaunches.sql, [begin.nanoseconds, limit], of: "launch") { row in
            PastLaunch(
                plugin: try row.plugin(),
                lane: try row.code("lane"),
                cause: try row.code("cause"),
                outcome: try row.name("outcome"),
                endedAt: try row.wallTime("ended_at"),
                used: try row.optionalDuration("used_ns")
            )
        }
        .reversed()
    }
}

enum PastLaunches {
    // The cross join keeps the launches as the outer loop, in the order of their index: no sorting, and a limit ends
    // the scan.
    static let sql = """
        SELECT number, identifier, lane, cause, outcome, ended_at, used_ns
        FROM launch CROSS JOIN plugin ON plugin.id = launch.plugin
        WHERE ended_at >= ? ORDER BY ended_at DESC, number DESC LIMIT ?
        """
}
