// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    /// Records the launch and moves its batch from pending to running.
    func start(_ plan: LaunchPlan, names: inout PluginNames) throws {
        let plugin = try names.number(of: plan.plugin.identifier, in: self)
        try run(
            """
            INSERT INTO launch (
                number, plugin, lane, cause, started_at, budget_ns, grace_ns, pid, start_time, boot, control_group,
                manifest_digest, library_digest
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                plan.number.rawValue, plugin, Int64(plan.lane.rawValue), Int64(plan.cause.rawValue),
                plan.startedAt.nanoseconds, plan.budget.total?.wholeNanoseconds, plan.budget.grace.wholeNanoseconds,
                plan.process.pid, Int64(bitPattern: plan.process.startTime), plan.process.boot.text,
                plan.process.controlGroup, plan.plugin.manifestDigest, plan.plugin.library.digest,
            ]
        )
        for (position, task) in plan.tasks.enumerated() {
            try moveToRunning(task.work, of: plan.number, plugin: plugin, position: position)
        }
    }

    /// Moves one more task from pending into a launch that runs, behind those that it has.
    func start(_ task: PlannedTask, in launch: LaunchNumber) throws {
        let running = try cachedStatement(sql: "SELECT plugin FROM launch WHERE number = ? AND outcome IS NULL")
        guard let plugin = try Int64.fetchOne(running, arguments: [launch.rawValue]) else {
            throw LedgerFault.contradiction("no launch \(launch) is running")
        }
        let free = try cachedStatement(sql: "SELECT ifnull(max(position) + 1, 0) FROM task WHERE launch = ?")
        let position = try Int.fetchOne(free, arguments: [launch.rawValue]) ?? 0
        try moveToRunning(task.work, of: launch, plugin: plugin, position: position)
    }

    func moveLaunch(_ number: LaunchNumber, to lane: Lane) throws {
        try run(
            "UPDATE launch SET lane = ? WHERE number = ? AND outcome IS NULL",
            [Int64(lane.rawValue), number.rawValue]
        )
        guard changesCount == 1 else { throw LedgerFault.contradiction("no launch \(number) is running") }
    }

    func endLaunch(_ number: LaunchNumber, _ end: LaunchEnd) throws {
        try run(
            """
            UPDATE launch SET outcome = ?, ended_at = ?, used_ns = ?, blame = ?, message = ?
            WHERE number = ? AND outcome IS NULL
            """,
            [
                end.outcome.rawValue, end.at.nanoseconds, end.used?.wholeNanoseconds, end.blame.rawValue, end.message,
                number.rawValue,
            ]
        )
        guard changesCount == 1 else { throw LedgerFault.contradiction("no launch \(number) is running") }
    }

    /// Launches that no end was recorded for.
    func runningLaunches() throws -> [LedgerSnapshot.RunningLaunch] {
        let sql = """
            SELECT number, identifier, lane, pid, start_time, boot, control_group, started_at
            FROM launch JOIN plugin ON plugin.id = launch.plugin WHERE outcome IS NULL ORDER BY number
            """
        return try rows(sql, of: "launch") { row in
            let number = try row.launch()
            let plugin = try row.plugin()
            let unfinished = try unfinishedTasks(of: number, plugin: plugin)
            return LedgerSnapshot.RunningLaunch(
                number: number,
                plugin: plugin,
                lane: try row.code(),
                process: try row.process(),
                startedAt: try row.wallTime(),
                unfinished: unfinished.map(\.work),
                keptFromReturning: Set(unfinished.filter(\.isKeptFromReturning).map(\.work.number))
            )
        }
    }
}

extension RowReader {
    mutating func process() throws -> RunnerProcess {
        RunnerProcess(
            pid: try value({ try $0.integer() }, { Int32(exactly: $0) }),
            startTime: UInt64(bitPattern: try integer()),
            boot: BootID(try text()),
            controlGroup: try optionalText()
        )
    }
}
