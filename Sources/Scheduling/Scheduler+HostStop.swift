// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The orderly stop of the host.
extension Scheduler {
    /// Begins an orderly stop of the host: no launch starts, running tasks expire, and launches that outlast the grace
    /// period are killed. A launch whose entry function has not returned is killed at once.
    mutating func stop(at now: Moment) {
        guard !isStopping else { return }
        isStopping = true
        // Time for the grace period, and as much again to record the results.
        stopBy = now.monotonic + configuration.gracePeriod + configuration.gracePeriod + configuration.hostRetryDelay
        if let stopBy { agenda.add(.stop, at: stopBy) }
        noteEndOfSimulation(at: now)
        for event in loading.takeAllParked() { dispatch(event, at: now) }
        refuseWaitingPushes()
        dropUnrecordedLapses(at: now)
        for plugin in plugins.names() where launches.hasLaunches(of: plugin) {
            for number in launches.numbers(of: plugin) { flush(number) }
        }
        for number in launches.numbers {
            guard let execution = launches.listening(number) else { continue }
            if execution.entry == .returned {
                expire(number, Array(execution.tasks.indices), because: .hostShutdown, at: now)
            } else {
                kill(number, because: .hostStopping)
            }
        }
    }
}
