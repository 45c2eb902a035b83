// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import TaskModel

/// One request to end the processes and control groups that previous host processes left behind. None of these
/// processes is a child of this process.
final class StaleEnding {
    let waiter: CheckedContinuation<[UnclaimedProcess], Never>
    /// The runners in the ledger. They end with their host.
    let recorded: Set<ProcessIdentity>
    /// The users that plugins of earlier hosts had, in addition to the users of this host's plugins.
    let users: Set<UInt32>
    /// The killed processes that plugins had started.
    var found: [ProcessIdentity: UnclaimedProcess] = [:]
    var processes: [Int: Descriptor] = [:]
    var groups: [ControlGroup]
    var groupEvents: [Int: Descriptor] = [:]

    init(
        _ recorded: Set<ProcessIdentity>,
        users: Set<UInt32>,
        groups: [ControlGroup],
        waiter: CheckedContinuation<[UnclaimedProcess], Never>
    ) {
        self.recorded = recorded
        self.users = users
        self.groups = groups
        self.waiter = waiter
    }
}

extension LaunchLoop {
    func endStale(
        _ recorded: [RunnerProcess],
        of users: Set<UInt32>,
        _ waiter: CheckedContinuation<[UnclaimedProcess], Never>
    ) {
        // Numbers, start times and control groups are only valid within one boot.
        let recorded = recorded.filter { $0.boot == clock.boot }
        let paths = recorded.compactMap(\.controlGroup).filter(Self.isLaunchGroup)
        let leftovers = station.groups?.leftovers() ?? []
        let ending = StaleEnding(
            Set(recorded.map { ProcessIdentity(pid: $0.pid, startTime: $0.startTime) }),
            users: users,
            groups: paths.map { ControlGroup(path: $0) } + leftovers,
            waiter: waiter
        )
        endings.append(ending)
        for process in recorded {
            let identity = ProcessIdentity(pid: process.pid, startTime: process.startTime)
            guard let descriptor = identity.open() else { continue }
            _ = bgl_pidfd_signal_group(descriptor.number, process.pid, SIGKILL)
            end(descriptor, for: ending)
        }
        advance(ending)
    }

    func staleChanged(_ key: Int) {
        let concerned = endings.first { $0.processes[key] != nil || $0.groupEvents[key] != nil }
        guard let ending = concerned else { return }
        if let descriptor = ending.processes.removeValue(forKey: key) ?? ending.groupEvents.removeValue(forKey: key) {
            poller.remove(descriptor, .stale(key))
        }
        advance(ending)
    }

    func advanceEndings() {
        for ending in endings { advance(ending) }
    }

    /// Ends the remaining processes, and resumes the waiter when there are none. Dead processes may have had children,
    /// so the search is repeated until it finds no process.
    private func advance(_ ending: StaleEnding) {
        guard ending.processes.isEmpty, ending.groupEvents.isEmpty else { return }
        guard let pids = try? children.all() else { return sweepLater() }
        for pid in pids {
            guard let identity = ProcessIdentity(of: pid), isStale(pid, for: ending), let descriptor = identity.open()
            else { continue }
            // Read before the signal: afterwards the process may be gone.
            let leftover = leftover(identity, in: ending)
            if end(descriptor, for: ending) { ending.found[identity] = leftover }
        }
        ending.groups = ending.groups.filter { isStillThere($0, for: ending) }
        guard ending.processes.isEmpty, ending.groups.isEmpty else { return }
        endings.removeAll { $0 === ending }
        ending.waiter.resume(returning: ending.found.values.sorted { $0.pid < $1.pid })
    }

    /// Returns a process that a plugin had started; nil for a runner. A runner is the first process of its session, and
    /// ends with its host without a signal of the next one.
    private func leftover(_ process: ProcessIdentity, in ending: StaleEnding) -> UnclaimedProcess? {
        let program = UnclaimedProcess.program(of: process.pid)
        if ending.recorded.contains(process) { return nil }
        if program == Self.runnerName, getsid(process.pid) == process.pid { return nil }
        return UnclaimedProcess(pid: process.pid, program: program)
    }

    private static let runnerName = "bgtask-runner"

    /// Whether a process belongs to a dead host. Three properties can show it: the number of its process mark together
    /// with its user, if this launcher has the numbers of a directory (`MarkNumbers.ofDirectory`); the text of its
    /// mark; or, without a readable text, its user. A sandboxed process can remove the text, and not the number.
    /// Without CAP_SYS_PTRACE a host cannot read the texts of other users.
    private func isStale(_ pid: Int32, for ending: StaleEnding) -> Bool {
        if station.marks.isShared, case let number = RunnerMark.number(of: pid), station.marks.isOurs(number) {
            if launchesByMark[number] != nil || idleRunners.contains(pid) { return false }
            guard let namespace = ProcessNamespace.of(pid) else { return false }
            // A host in an inner namespace may have the same numbers: only the text names its process.
            if namespace == .own, hasUserOfPlugins(pid, for: ending) { return true }
        }
        if let owner = RunnerMark.text(of: pid).flatMap(MarkOwner.init(markText:)) {
            return owner.isGone(to: self.owner)
        }
        guard let users, let user = ProcessUser.of(pid) else { return false }
        return users.contains(user)
    }

    /// Whether a process has the user of this process, or a user of its plugins. Process marks are readable: a process
    /// of any other user can copy the number.
    private func hasUserOfPlugins(_ pid: Int32, for ending: StaleEnding) -> Bool {
        guard let user = ProcessUser.of(pid) else { return false }
        return user == getuid() || users?.contains(user) == true || ending.users.contains(user)
    }

    /// Kills a process and watches its end. Returns whether it was killed: false when it is gone, or belongs to a user
    /// whose processes this process may not kill. Neither is waited for.
    @discardableResult
    private func end(_ descriptor: Descriptor, for ending: StaleEnding) -> Bool {
        guard bgl_pidfd_signal(descriptor.number, SIGKILL) == 0 else { return false }
        if let key = watch(descriptor, events: BGL_READABLE) { ending.processes[key] = descriptor }
        return true
    }

    private func isStillThere(_ group: ControlGroup, for ending: StaleEnding) -> Bool {
        group.kill()
        for isWatched in [false, true] {
            switch group.remove() {
            case .removed:
                return false
            case .failed(let error):
                logger.warning("cannot \(error.attempt) of an ended launch: \(error.meaning); remove it with rmdir")
                return false
            case .occupied where isWatched:
                return true
            case .occupied:
                // Watched first, then removed again: the group may empty in between.
                guard let events = group.openEvents() else {
                    sweepLater()
                    return true
                }
                if let key = watch(events, events: BGL_CHANGED) { ending.groupEvents[key] = events }
            }
        }
        return true
    }

    private func watch(_ descriptor: Descriptor, events: Int) -> Int? {
        nextEnding += 1
        do throws(SystemError) {
            try poller.add(descriptor, .stale(nextEnding), events: events)
            return nextEnding
        } catch {
            sweepLater()
            return nil
        }
    }

    /// Whether a recorded path is that of a launch's control group. The check keeps a damaged ledger from causing other
    /// processes to be killed.
    private static func isLaunchGroup(_ path: String) -> Bool {
        guard path.split(separator: "/").dropLast().last?.hasPrefix(ControlGroupParent.prefix) == true,
            let directory = try? Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
        else { return false }
        return bgl_is_cgroup(directory.number) == 1
    }
}
