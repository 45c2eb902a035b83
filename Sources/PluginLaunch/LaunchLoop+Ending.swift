// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import TaskModel

/// The steps at the end of a launch, in order: reap its first process, end all descendants, remove the control group,
/// read the crash record.
extension LaunchLoop {
    func leaderEnded(_ launch: SupervisedLaunch) {
        guard launch.isRunning, let leader = launch.leader else { return }
        // Killed before it is reaped: afterwards its number, and its group's, may be reused by another process.
        launch.kill()
        poller.remove(leader, .leader(launch.number))
        launch.phase = .dead
        launch.killTime = nil
        sweep()
    }

    func leftoverEnded(_ launch: SupervisedLaunch) {
        guard let leftover = launch.leftover else { return }
        poller.remove(leftover, .leftover(launch.number))
        launch.leftover = nil
        sweep()
    }

    /// Reaps dead first processes, idle runners and orphans that this process has adopted. Kills orphans whose launch
    /// is over, and unclaimed processes.
    ///
    /// Every process of a launch descends from its first process, so it is a child of this process or below such a
    /// child. The children of a dying process are adopted by this process before it can be reaped. Therefore, once no
    /// child carries a launch's mark, no process of the launch is left.
    func sweep() {
        sweptAt = clock.monotonic
        for launch in launches.values { reapLeader(of: launch) }
        reapIdleRunners()
        var living: Set<LaunchNumber> = []
        var hasReaped = true
        while hasReaped {
            hasReaped = false
            living = []
            guard let pids = try? children.children() else { return sweepLater() }
            let present = Set(pids)
            killedOrphans = killedOrphans.filter { present.contains($0.key) }
            for pid in pids where launchesByLeader[pid] == nil && !idleRunners.contains(pid) {
                guard let orphan = orphan(pid) else {
                    if endUnclaimed(pid) { hasReaped = true }
                    continue
                }
                if !orphan.mayLive { _ = kill(pid, SIGKILL) }
                var end = bgl_exit()
                if bgl_wait(pid, 0, &end) == 1 {
                    // A process that ended by itself, without being reaped by its parent, was no longer running.
                    if !orphan.mayLive, end.signal == SIGKILL { orphan.launch?.leftRunning += 1 }
                    // The reaped process's own children were adopted after the list was read.
                    hasReaped = true
                    killedOrphans[pid] = nil
                } else if let launch = orphan.launch, !orphan.mayLive {
                    living.insert(launch.number)
                    killedOrphans[pid] = launch.number
                    watchLeftover(pid, of: launch)
                }
            }
        }
        for launch in launches.values where !living.contains(launch.number) && launch.leftover == nil {
            if case .sweeping(let termination) = launch.phase { launch.phase = .leavingGroup(termination) }
            leaveGroup(launch)
        }
    }

    private func reapLeader(of launch: SupervisedLaunch) {
        guard case .dead = launch.phase else { return }
        // A descendant that traces the first process can keep it from being reaped, until that descendant is killed
        // itself.
        guard let termination = launch.reapLeader() else { return sweepLater() }
        launchesByLeader[launch.process.pid] = nil
        launch.phase = .sweeping(termination)
    }

    /// An adopted child process that belongs to one of this launcher's launches.
    private struct Orphan {
        /// The launch of the process; nil when the launch has already ended without the process, because the kernel's
        /// list of processes changed while it was read.
        let launch: SupervisedLaunch?
        var mayLive: Bool { launch?.isRunning == true }
    }

    /// The orphan with that process number; nil for a child that belongs to no launch.
    private func orphan(_ pid: Int32) -> Orphan? {
        let number = RunnerMark.number(of: pid)
        if station.marks.isOurs(number) { return Orphan(launch: launchesByMark[number].flatMap { launches[$0] }) }
        if let launch = killedOrphans[pid] { return Orphan(launch: launches[launch]) }
        return launches.values.first { $0.recognizes(pid) }.map { Orphan(launch: $0) }
    }

    /// Kills and reaps an unclaimed process: a child without the mark of a launch, because it removed its mark or the
    /// system refused to set the mark. Reports the process, unless it had ended by itself. Does nothing to a child from
    /// before the launcher, or when unclaimed processes are left alone.
    ///
    /// - Returns: whether the process was reaped. The list of children then has to be read again, because this process
    ///   has adopted the children of the reaped process.
    private func endUnclaimed(_ pid: Int32) -> Bool {
        guard case .killed(let reported) = unclaimed, let identity = ProcessIdentity(of: pid),
            !earlierChildren.contains(identity)
        else { return false }
        let program = UnclaimedProcess.program(of: pid)
        _ = kill(pid, SIGKILL)
        var end = bgl_exit()
        guard bgl_wait(pid, 0, &end) == 1 else {
            // It dies in a moment. Killed again by the next sweep at worst.
            sweepLater()
            if killedUnclaimed.insert(identity).inserted {
                reported(UnclaimedProcess(pid: pid, program: program))
            }
            return false
        }
        // A process that ended by itself was no longer running.
        if killedUnclaimed.remove(identity) == nil, end.signal == SIGKILL {
            reported(UnclaimedProcess(pid: pid, program: program))
        }
        return true
    }

    /// Watches one leftover process of the launch for its end. One watch is enough: after the end of this process the
    /// next sweep finds the other leftover processes dead or dying.
    private func watchLeftover(_ pid: Int32, of launch: SupervisedLaunch) {
        guard launch.leftover == nil else { return }
        let number = bgl_pidfd_open(pid)
        guard number >= 0 else { return sweepLater() }
        let leftover = Descriptor(owning: number)
        do throws(SystemError) {
            try poller.add(leftover, .leftover(launch.number))
            launch.leftover = leftover
        } catch {
            sweepLater()
        }
    }

    /// Schedules another sweep in 100 ms: after a failed system call, as in a shortage of descriptors, which other
    /// launches free when they end; or for a killed or dead process that cannot be reaped yet.
    func sweepLater() {
        sweepsAgainAt = clock.monotonic + .milliseconds(100)
    }

    func leaveGroup(_ launch: SupervisedLaunch) {
        guard case .leavingGroup(let termination) = launch.phase else { return }
        switch launch.group?.remove() {
        case nil, .removed:
            finish(launch, termination)
        case .occupied:
            awaitEmptyGroup(launch)
        case .failed(let error):
            logger.warning(
                "cannot \(error.attempt) of an ended launch: \(error.meaning); remove it with rmdir",
                metadata: ["launch": "\(launch.number)"]
            )
            finish(launch, termination)
        }
    }

    private func awaitEmptyGroup(_ launch: SupervisedLaunch) {
        guard let group = launch.group, launch.groupEvents == nil else { return }
        group.kill()
        guard let events = group.openEvents() else { return sweepLater() }
        do throws(SystemError) {
            try poller.add(events, .group(launch.number), events: BGL_CHANGED)
        } catch {
            return sweepLater()
        }
        launch.groupEvents = events
        // The group may have emptied before it was watched.
        leaveGroup(launch)
    }

    /// Delivers all remaining messages and output of the launch. The event `ended` follows later, when the launch has
    /// been released.
    private func finish(_ launch: SupervisedLaunch, _ termination: ProcessTermination) {
        let number = launch.number
        let now = clock.monotonic
        unwatch(launch)
        if let events = launch.groupEvents { poller.remove(events, .group(number)) }
        launches[number] = nil
        launchesByMark[launch.mark.number] = nil

        drainControl(of: launch, at: now)
        readLastCursors(of: launch)
        reportDroppedLog(of: launch)
        for stream in [RunnerOutput.standardOutput, .standardError] {
            launch.outputs[stream]?.finish(into: buffer, at: now) { deliver($0, from: stream, of: number) }
        }
        let end = RunnerEnd(
            termination: termination,
            lastWords: launch.readLastWords(),
            wasKilled: launch.wasKilled,
            leftRunning: launch.leftRunning
        )
        ended.append((number, end))
    }
}
