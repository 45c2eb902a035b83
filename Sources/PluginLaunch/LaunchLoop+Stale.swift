// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import TaskModel

/// One request to end the processes and control groups that previous host processes left behind. None of these
/// processes is a child of this process.
final class StaleEnding {
    let waiter: CheckedContinuation<Void, Never>
    var processes: [Int: Descriptor] = [:]
    var groups: [ControlGroup]
    var groupEvents: [Int: Descriptor] = [:]

    init(groups: [ControlGroup], waiter: CheckedContinuation<Void, Never>) {
        self.groups = groups
        self.waiter = waiter
    }
}

extension LaunchLoop {
    func endStale(_ recorded: [RunnerProcess], _ waiter: CheckedContinuation<Void, Never>) {
        // Numbers, start times and control groups are only valid within one boot.
        let recorded = recorded.filter { $0.boot == clock.boot }
        let paths = recorded.compactMap(\.controlGroup).filter(Self.isLaunchGroup)
        let leftovers = station.groups?.leftovers() ?? []
        let ending = StaleEnding(groups: paths.map { ControlGroup(path: $0) } + leftovers, waiter: waiter)
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
            guard let identity = ProcessIdentity(of: pid), isStale(pid), let descriptor = identity.open() else {
                continue
            }
            end(descriptor, for: ending)
        }
        ending.groups = ending.groups.filter { isStillThere($0, for: ending) }
        guard ending.processes.isEmpty, ending.groups.isEmpty else { return }
        endings.removeAll { $0 === ending }
        ending.waiter.resume()
    }

    /// Whether a process belongs to a dead host: by the text of its process mark or, for a process without a readable
    /// mark, by its user. Without CAP_SYS_PTRACE a host cannot read the marks of other users.
    private func isStale(_ pid: Int32) -> Bool {
        if let owner = RunnerMark.text(of: pid).flatMap(MarkOwner.init(markText:)) {
            return owner.isGone(to: self.owner)
        }
        guard let users, let user = ProcessUser.of(pid) else { return false }
        return users.contains(user)
    }

    private func end(_ descriptor: Descriptor, for ending: StaleEnding) {
        let status = bgl_pidfd_signal(descriptor.number, SIGKILL)
        // The process is gone or belongs to another user: neither case is waited for.
        guard status == 0 else { return }
        if let key = watch(descriptor, events: BGL_READABLE) { ending.processes[key] = descriptor }
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
