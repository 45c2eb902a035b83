// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import TaskModel

/// How a launch ends: the first process, then whatever descends from it, then the control group, then the last words.
extension LaunchLoop {
    func leaderEnded(_ launch: SupervisedLaunch) {
        guard launch.isRunning, let leader = launch.leader else { return }
        // Before it is reaped: afterwards its number, and with it its group's, may be somebody else's.
        launch.kill()
        poller.remove(leader, .leader(launch.number))
        launch.phase = .dead
        launch.killTime = nil
        sweep()
    }

    func stragglerEnded(_ launch: SupervisedLaunch) {
        guard let straggler = launch.straggler else { return }
        poller.remove(straggler, .straggler(launch.number))
        launch.straggler = nil
        sweep()
    }

    /// Reaps the orphans that fell to this process, and kills those whose launch has ended.
    ///
    /// What a launch started is a descendant of its first process, so it is a child of this one or below such a child.
    /// Whoever dies hands its children on to this process before it can be reaped: once no child carries a launch's mark,
    /// nobody does.
    func sweep() {
        sweptAt = clock.monotonic
        for launch in launches.values { reapLeader(of: launch) }
        var living: Set<LaunchNumber> = []
        var hasReaped = true
        while hasReaped {
            hasReaped = false
            living = []
            guard let pids = try? children.children() else { return sweepLater() }
            let present = Set(pids)
            killedOrphans = killedOrphans.filter { present.contains($0.key) }
            for pid in pids where launchesByLeader[pid] == nil {
                guard let orphan = orphan(pid) else { continue }
                if !orphan.mayLive { _ = kill(pid, SIGKILL) }
                var end = bgl_exit()
                if bgl_wait(pid, 0, &end) == 1 {
                    // One that had ended by itself, and that nobody waited for, ran no longer.
                    if !orphan.mayLive, end.signal == SIGKILL { orphan.launch?.leftRunning += 1 }
                    // Its own children came to us after the list was made.
                    hasReaped = true
                    killedOrphans[pid] = nil
                } else if let launch = orphan.launch, !orphan.mayLive {
                    living.insert(launch.number)
                    killedOrphans[pid] = launch.number
                    watchStraggler(pid, of: launch)
                }
            }
        }
        for launch in launches.values where !living.contains(launch.number) && launch.straggler == nil {
            if case .sweeping(let termination) = launch.phase { launch.phase = .leavingGroup(termination) }
            leaveGroup(launch)
        }
    }

    private func reapLeader(of launch: SupervisedLaunch) {
        guard case .dead = launch.phase else { return }
        // A tracer, some descendant, can keep it from being reaped until it is killed itself.
        guard let termination = launch.reapLeader() else { return sweepLater() }
        launchesByLeader[launch.process.pid] = nil
        launch.phase = .sweeping(termination)
    }

    /// A child that a runner of ours left behind.
    private struct Orphan {
        /// Nil when it ended long ago: the child slipped out of a list that changed while it was read.
        let launch: SupervisedLaunch?
        var mayLive: Bool { launch?.isRunning == true }
    }

    /// Nil for a child that is none of our business.
    private func orphan(_ pid: Int32) -> Orphan? {
        let number = RunnerMark.number(of: pid)
        if station.marks.isOurs(number) { return Orphan(launch: launchesByMark[number].flatMap { launches[$0] }) }
        if let launch = killedOrphans[pid] { return Orphan(launch: launches[launch]) }
        return launches.values.first { $0.recognizes(pid) }.map { Orphan(launch: $0) }
    }

    /// One is enough: when it is dead, the next sweep finds the others dead, or dying.
    private func watchStraggler(_ pid: Int32, of launch: SupervisedLaunch) {
        guard launch.straggler == nil else { return }
        let number = bgl_pidfd_open(pid)
        guard number >= 0 else { return sweepLater() }
        let straggler = Descriptor(owning: number)
        do throws(SystemError) {
            try poller.add(straggler, .straggler(launch.number))
            launch.straggler = straggler
        } catch {
            sweepLater()
        }
    }

    /// For want of descriptors; other launches free some.
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
                "a control group is left behind: cannot \(error.attempt): \(error.meaning)",
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
        // It may have emptied before anybody watched.
        leaveGroup(launch)
    }

    /// Delivers everything that the dead left in sockets and pipes; their end follows when the launch is let go.
    private func finish(_ launch: SupervisedLaunch, _ termination: ProcessTermination) {
        let number = launch.number
        let now = clock.monotonic
        unwatch(launch)
        if let events = launch.groupEvents { poller.remove(events, .group(number)) }
        launches[number] = nil
        launchesByMark[launch.mark.number] = nil

        drainControl(of: launch, at: now)
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
