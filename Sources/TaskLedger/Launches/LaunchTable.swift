// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Inserts the launch, and moves the tasks of its batch from pending to running.
    func start(_ plan: LaunchPlan, names: inout PluginNames) throws {
        let plugin = try names.number(of: plan.plugin.identifier, in: self)
        let process = plan.process
        try run(
            LaunchStatements.insert,
            plan.number.rawValue,
            plugin,
            Int64(plan.lane.rawValue),
            Int64(plan.cause.rawValue),
            plan.startedAt.nanoseconds,
            plan.budget.total?.wholeNanoseconds,
            plan.budget.gracePeriod.wholeNanoseconds,
            process.pid,
            Int64(bitPattern: process.startTime),
            process.boot.text,
            process.controlGroup,
            plan.plugin.manifestDigest,
            plan.plugin.library.digest
        )
        for (position, task) in plan.tasks.enumerated() {
            try moveToRunning(task.work, of: plan.number, plugin: plugin, position: position)
        }
    }

    /// Moves a task from pending into a running launch, behind the existing tasks of the launch.
    func start(_ task: PlannedTask, in launch: LaunchNumber) throws {
        guard let plugin = try integer(LaunchStatements.runningPlugin, launch.rawValue) else {
            throw LedgerFault.contradiction("no launch \(launch) is running")
        }
        let position = try integer(LaunchStatements.nextPosition, launch.rawValue) ?? 0
        try moveToRunning(task.work, of: launch, plugin: plugin, position: Int(position))
    }

    func moveLaunch(_ number: LaunchNumber, to lane: Lane) throws {
        try run(LaunchStatements.move, Int64(lane.rawValue), number.rawValue)
        try requireRunning(number)
    }

    func endLaunch(_ number: LaunchNumber, _ end: LaunchEnd) throws {
        try run(
            LaunchStatements.end,
            end.outcome.rawValue,
            end.at.nanoseconds,
            end.used?.wholeNanoseconds,
            end.blame.rawValue,
            end.message,
            number.rawValue
        )
        try requireRunning(number)
    }

    private func requireRunning(_ number: LaunchNumber) throws {
        guard changes == 1 else { throw LedgerFault.contradiction("no launch \(number) is running") }
    }
}

extension Database {
    /// The launches without a recorded end, ordered by number.
    func runningLaunches() throws -> [LedgerSnapshot.UnfinishedLaunch] {
        try rows(LaunchStatements.running, of: "launch") { row in
            let number = try row.launch("number")
            let plugin = try row.plugin()
            let unfinished = try unfinishedTasks(of: number, plugin: plugin, id: row.integer("plugin"))
            return LedgerSnapshot.UnfinishedLaunch(
                number: number,
                plugin: plugin,
                lane: try row.code("lane"),
                process: try row.process(),
                startedAt: try row.wallTime("started_at"),
                unfinished: unfinished.map(\.work),
                mayNotBeRequeued: Set(unfinished.filter(\.mayNotBeRequeued).map(\.work.number)),
                moved: try movedTasks(of: number)
            )
        }
    }
}

extension RowReader {
    mutating func process() throws -> RunnerProcess {
        RunnerProcess(
            pid: try value("pid", fromInteger: { Int32(exactly: $0) }),
            startTime: UInt64(bitPattern: try integer("start_time")),
            boot: BootID(try text("boot")),
            controlGroup: try optionalText("control_group")
        )
    }
}

private enum LaunchStatements {
    static let insert = StatementText(
        """
        INSERT INTO launch (
            number, plugin, lane, cause, started_at, budget_ns, grace_ns, pid, start_time, boot, control_group,
            manifest_digest, library_digest
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    static let end = StatementText(
        """
        UPDATE launch SET outcome = ?, ended_at = ?, used_ns = ?, blame = ?, message = ?
        WHERE number = ? AND outcome IS NULL
        """
    )
    static let move = StatementText("UPDATE launch SET lane = ? WHERE number = ? AND outcome IS NULL")
    static let runningPlugin = StatementText("SELECT plugin FROM launch WHERE number = ? AND outcome IS NULL")
    static let nextPosition = StatementText("SELECT ifnull(max(position) + 1, 0) FROM task WHERE launch = ?")

    static let running = """
        SELECT number, identifier, plugin, lane, pid, start_time, boot, control_group, started_at
        FROM launch JOIN plugin ON plugin.id = launch.plugin WHERE outcome IS NULL ORDER BY number
        """
}
