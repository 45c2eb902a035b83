// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Kill times of launches. A timer of the launch thread enforces them, independently of the receiver of the events.
extension LaunchLoop {
    func setKillTime(_ time: MonotonicTime?, of launch: SupervisedLaunch) {
        launch.killTime = launch.isRunning ? time : nil
        guard let time = launch.killTime, nextKillTime.map({ time < $0 }) ?? true else { return }
        armKillTimer(for: time)
    }

    /// Kills the launches whose kill time has passed. Costs one clock reading when none has.
    func enforceKillTimes() {
        guard let next = nextKillTime, next <= clock.monotonic else { return }
        // A kill that was withdrawn in time may still be withdrawn in the inbox only.
        performCommands()
        let now = clock.monotonic
        let due = launches.values.filter { launch in launch.killTime.map { $0 <= now } ?? false }
        for launch in due { launch.killTime = nil }
        // A runner that exited by itself was in time, even if this thread is late.
        let overdue = due.filter { !$0.hasExited }
        // All overdue launches are killed before messages of the first one are read. Messages that a runner sent stay
        // in its channel.
        for launch in overdue {
            launch.wasKilled = true
            launch.kill()
        }
        for launch in overdue {
            drainControl(of: launch, at: now)
            onEvent(.killTimePassed(launch.number))
        }
        nextKillTime = nil
        if let next = launches.values.compactMap(\.killTime).min() { armKillTimer(for: next) }
    }

    private func armKillTimer(for time: MonotonicTime) {
        nextKillTime = time
        // The timer accepts any time; 0 would disarm it.
        _ = bgl_monotonic_timer_set(killTimer.number, max(1, time.nanoseconds))
    }
}
