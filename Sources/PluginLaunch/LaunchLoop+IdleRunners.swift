// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import TaskModel

/// Runners that are started before a launch needs them. A launch that takes an idle runner does not wait for the start
/// of a process. A runner is used for one launch only.
extension LaunchLoop {
    /// Returns a runner that waits for a plan; nil when there is none.
    func takeIdleRunner() -> RunnerStation.Start? {
        defer { idleCount.set(idleRunners.waiting.count) }
        while let runner = idleRunners.takeOldest() {
            poller.remove(runner.leader, .idle(runner.process.pid))
            if !runner.hasExited { return runner }
            // Its end was not handled yet. It is reaped here, because no event of it follows.
            bgl_wait(runner.process.pid, 1, nil)
            _ = runner.group?.remove()
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

    /// Ends idle runners until `count` are left.
    func keepIdleRunners(_ count: Int) {
        idleRunners.keep(count)
        idleCount.set(idleRunners.waiting.count)
    }

    func idleRunnerEnded(_ pid: Int32) {
        guard let leader = idleRunners.leader(of: pid), let endedByItself = idleRunners.reap(pid) else { return }
        poller.remove(leader, .idle(pid))
        idleCount.set(idleRunners.waiting.count)
        if endedByItself { noteIdleFailure("an idle runner ended before its first plan") }
    }

    /// Kills and reaps all idle runners before the launch thread ends.
    func removeIdleRunners() {
        keepIdleRunners(0)
        for pid in Array(idleRunners.ending.keys) { _ = idleRunners.reap(pid, waits: true) }
    }

    private func endUnwatched(_ runner: RunnerStation.Start) {
        _ = bgl_pidfd_signal(runner.leader.number, SIGKILL)
        bgl_wait(runner.process.pid, 1, nil)
        _ = runner.group?.remove()
    }

    /// Launches are not affected: each starts a runner of its own when none is idle.
    private func noteIdleFailure(_ message: String) {
        idlePolicy.failed(at: clock.monotonic)
        logger.warning("no runner is kept ready for the next launch: \(message); the host tries again later")
    }
}
