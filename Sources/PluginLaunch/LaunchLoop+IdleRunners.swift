// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import TaskModel

/// Runners that are started before a launch needs them. A launch that takes an idle runner does not wait for the start
/// of a process. A runner is used for one launch only.
extension LaunchLoop {
    /// Removes and returns the oldest idle runner that still runs; nil when there is none.
    func takeIdleRunner() -> RunnerStation.Start? {
        defer { idleCount.set(idleRunners.waiting.count) }
        while let runner = idleRunners.takeOldest() {
            poller.remove(runner.leader, .idle(runner.process.pid))
            if !runner.hasExited { return runner }
            // Its end was not handled yet, and no event of it follows.
            idleRunners.addUnreaped(runner)
            reapIdleRunners()
            noteIdleFailure("an idle runner ended before its first plan")
        }
        return nil
    }

    /// Starts or ends idle runners if their time has come: at most one start per turn of the loop.
    func adjustIdleRunners(at now: MonotonicTime) {
        if idlePolicy.takeQuiet(at: now) { keepIdleRunners(0) }
        guard idlePolicy.isStartDue(idle: idleRunners.waiting.count, at: now) else { return }
        do throws(LaunchError) {
            let runner = try station.start(for: nil)
            // A launch without a control group must be reported; the start of its own runner does that.
            if let cause = runner.missingGroup {
                endUnwatched(runner)
                return noteIdleFailure("an idle runner gets no control group: \(cause)")
            }
            do throws(SystemError) {
                try poller.add(runner.leader, .idle(runner.process.pid))
            } catch {
                endUnwatched(runner)
                return noteIdleFailure("cannot \(error.attempt): \(error.meaning)")
            }
            idleRunners.add(runner)
            idlePolicy.started(idle: idleRunners.waiting.count)
            idleCount.set(idleRunners.waiting.count)
        } catch {
            noteIdleFailure(error.message)
        }
    }

    /// Kills idle runners until `count` are left.
    func keepIdleRunners(_ count: Int) {
        idleRunners.keep(count)
        idleCount.set(idleRunners.waiting.count)
    }

    func idleRunnerEnded(_ pid: Int32) {
        guard let (runner, wasKilled) = idleRunners.takeEnded(pid) else { return }
        // Removed although it may not be reaped yet: the descriptor of a dead process stays readable.
        poller.remove(runner.leader, .idle(pid))
        idleRunners.addUnreaped(runner)
        reapIdleRunners()
        idleCount.set(idleRunners.waiting.count)
        if !wasKilled { noteIdleFailure("an idle runner ended before its first plan") }
    }

    /// Reaps ended idle runners. Those that cannot be reaped yet are reaped by a later sweep.
    func reapIdleRunners() {
        if !idleRunners.reap() { sweepLater() }
    }

    /// Kills and reaps all idle runners before the launch thread ends. A runner that cannot be reaped remains a child
    /// of this process.
    func removeIdleRunners() {
        keepIdleRunners(0)
        for runner in idleRunners.takeDying() {
            poller.remove(runner.leader, .idle(runner.process.pid))
            idleRunners.addUnreaped(runner)
        }
        idleRunners.awaitEnds(within: .seconds(1))
        _ = idleRunners.reap()
    }

    private func endUnwatched(_ runner: RunnerStation.Start) {
        _ = bgl_pidfd_signal(runner.leader.number, SIGKILL)
        idleRunners.addUnreaped(runner)
        reapIdleRunners()
    }

    /// Logs that no runner is kept ready, and delays the next start. Launches are not affected: each starts a runner of
    /// its own when none is idle.
    private func noteIdleFailure(_ message: String) {
        idlePolicy.failed(at: clock.monotonic)
        logger.warning("no runner is kept ready for the next launch: \(message); the host tries again later")
    }
}
