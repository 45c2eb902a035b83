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
                used: try row.optionalDuration("used_ns"),
                ownKinds: Self.kinds(try row.optionalText("own_kinds")),
                usedBudget: try row.flag("used_budget")
            )
        }
        .reversed()
    }

    /// The kinds whose numbers are in the list, separated by commas. Numbers of unknown kinds have no effect.
    private static func kinds(_ list: String?) -> Set<TaskKind> {
        Set((list ?? "").split(separator: ",").compactMap { UInt32($0).flatMap(TaskKind.init(rawValue:)) })
    }
}

enum PastLaunches {
    // The cross join keeps the launches as the outer loop, in the order of their index: no sorting, and a limit ends
    // the scan.
    static let sql = """
        SELECT number, identifier, lane, cause, outcome, ended_at, used_ns,
            coalesce(used_ns >= budget_ns, 0) AS used_budget, (
            SELECT group_concat(task.kind) FROM task
            WHERE task.launch = launch.number
                AND (task.submitter = launch.plugin OR task.kind = \(TaskKind.push.rawValue))
        ) AS own_kinds
        FROM launch CROSS JOIN plugin ON plugin.id = launch.plugin
        WHERE ended_at >= ? ORDER BY ended_at DESC, number DESC LIMIT ?
        """
}
