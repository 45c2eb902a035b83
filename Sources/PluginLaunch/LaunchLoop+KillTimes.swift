// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Kill times: kept on this thread by a timer of its own, whatever the receiver of the events is doing.
extension LaunchLoop {
    func setKillTime(_ time: MonotonicTime?, of launch: SupervisedLaunch) {
        launch.killTime = launch.isRunning ? time : nil
        guard let time = launch.killTime, nextKill.map({ time < $0 }) ?? true else { return }
        armKillTimer(for: time)
    }

    /// Kills the launches whose time has come. Costs a look at the clock when there is none.
    func keepKillTimes() {
        guard let next = nextKill, next <= clock.monotonic else { return }
        // A kill that was withdrawn before its time passed is withdrawn in the inbox.
        performCommands()
        let now = clock.monotonic
        let due = launches.values.filter { launch in launch.killTime.map { $0 <= now } ?? false }
        for launch in due { launch.killTime = nil }
        // A runner that has left by itself was in time, however late this thread is.
        let overdue = due.filter { !$0.hasExited }
        // All are killed at their time, before anything of the first one is read. What a runner sent stays in its channel.
        for launch in overdue {
            launch.wasKilled = true
            launch.kill()
        }
        for launch in overdue {
            drainControl(of: launch, at: now)
            onEvent(.killedAtDeadline(launch.number))
        }
        nextKill = nil
        if let next = launches.values.compactMap(\.killTime).min() { armKillTimer(for: next) }
    }

    private func armKillTimer(for time: MonotonicTime) {
        nextKill = time
        // A timer of ours takes any instant; 0 would disarm it.
        _ = bgl_monotonic_timer_set(killTimer.number, max(1, time.nanoseconds))
    }
}
