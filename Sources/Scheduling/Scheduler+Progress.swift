// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Progress of continued tasks and transfers, and their expiration under memory pressure.
extension Scheduler {
    /// Records a progress report of a continued task or a transfer. The time at which the task counts as stalled moves
    /// only when the report exceeds the furthest progress so far (statement 77).
    mutating func progressed(_ number: LaunchNumber, _ id: TaskID, _ progress: TaskProgress, at now: Moment) {
        // During entry no task was delivered that could progress, whatever the runner sends.
        guard let execution = launches.listening(number), execution.entry == .returned else { return }
        guard let index = execution.index(of: id), execution.tasks[index].reportsProgress else {
            let plugin = execution.plan.plugin.identifier
            return noteForged(
                number,
                rule: .numbers,
                message: "\(plugin) reported progress of task \(id), which is no continued task of launch \(number)",
                at: now
            )
        }
        guard execution.tasks[index].isGoingOn else { return }
        let stallsAt = now.monotonic + stallLimit(of: execution.tasks[index])
        launches.execute(number) { execution in
            execution.tasks[index].progress = progress
            if execution.tasks[index].furthest.include(progress) { execution.moved(index, stallsAt: stallsAt) }
        }
        toEnforceAnew.insert(number)
    }

    /// The time without progress after which a task counts as stalled.
    func stallLimit(of task: Execution.Task) -> Duration {
        task.work.kind == .transfer ? configuration.transfers.stallLimit : configuration.stallLimit
    }

    mutating func expireStalled(_ number: LaunchNumber, at now: Moment) {
        guard let execution = launches.listening(number), execution.entry == .returned else { return }
        let stalled = execution.tasks.indices.filter { index in
            let task = execution.tasks[index]
            return task.isGoingOn && task.stallsAt.map { $0 <= now.monotonic } ?? false
        }
        if !stalled.isEmpty { expire(number, stalled, because: .noProgress, at: now) }
    }

    // MARK: Memory pressure

    /// Expires continued tasks one at a time under memory pressure, the least progressed task first, until the pressure
    /// ends (statement 77).
    mutating func relievePressure(at now: Moment) {
        guard conditions.isMemoryLow, !isStopping else { return }
        if let next = pressureRelief, next > now.monotonic { return agenda.add(.pressure, at: next) }
        guard let least = leastProgressed else { return }
        expire(least.launch, [least.index], because: .memoryPressure, at: now)
        let next = now.monotonic + configuration.pressureInterval
        pressureRelief = next
        agenda.add(.pressure, at: next)
    }

    private var leastProgressed: (launch: LaunchNumber, index: Int)? {
        typealias Candidate = (launch: LaunchNumber, index: Int, fraction: Double, submission: SubmissionNumber)
        let candidates = launches.values.lazy.flatMap { launch -> [Candidate] in
            guard launch.lane == .continued, launch.isListening, let execution = launch.execution,
                execution.entry == .returned
            else { return [] }
            return execution.tasks.indices.compactMap { index in
                let task = execution.tasks[index]
                guard task.isContinued, task.isGoingOn else { return nil }
                return (launch.number, index, task.progress?.fraction ?? 0, task.work.number)
            }
        }
        // Among equally progressed tasks, the newest.
        let least = candidates.min { ($0.fraction, $1.submission.rawValue) < ($1.fraction, $0.submission.rawValue) }
        return least.map { ($0.launch, $0.index) }
    }
}
