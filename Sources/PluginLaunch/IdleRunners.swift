// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Synchronization
import TaskModel

/// The runners that wait for a plan, oldest first, and the killed or dead ones that are not reaped yet. They have
/// loaded no plugin code and have no launch. Confined to the launch thread.
struct IdleRunners {
    private(set) var waiting: [RunnerStation.Start] = []
    /// Killed runners whose end is still watched.
    private var dying: [Int32: RunnerStation.Start] = [:]
    /// Runners whose end is no longer watched and that are not reaped yet.
    private var unreaped: [Int32: RunnerStation.Start] = [:]
    /// Control groups of reaped runners that still contain an exiting process.
    private var groups: [ControlGroup] = []

    func contains(_ pid: Int32) -> Bool {
        dying[pid] != nil || unreaped[pid] != nil || waiting.contains { $0.process.pid == pid }
    }

    mutating func add(_ runner: RunnerStation.Start) { waiting.append(runner) }

    /// Removes and returns the runner that has waited longest.
    mutating func takeOldest() -> RunnerStation.Start? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Kills the newest waiting runners until `count` are left.
    mutating func keep(_ count: Int) {
        while waiting.count > count {
            let runner = waiting.removeLast()
            _ = bgl_pidfd_signal(runner.leader.number, SIGKILL)
            dying[runner.process.pid] = runner
        }
    }

    /// Removes and returns a watched runner that has ended, and whether it was killed before; nil when the process is
    /// no watched runner.
    mutating func takeEnded(_ pid: Int32) -> (runner: RunnerStation.Start, wasKilled: Bool)? {
        if let runner = dying.removeValue(forKey: pid) { return (runner, true) }
        guard let index = waiting.firstIndex(where: { $0.process.pid == pid }) else { return nil }
        return (waiting.remove(at: index), false)
    }

    /// Removes and returns all killed runners whose end is still watched.
    mutating func takeDying() -> [RunnerStation.Start] {
        defer { dying = [:] }
        return Array(dying.values)
    }

    /// Adds a dead or killed runner whose end is no longer watched, and that is not reaped yet.
    mutating func addUnreaped(_ runner: RunnerStation.Start) { unreaped[runner.process.pid] = runner }

    /// Waits for the ends of the unreaped runners whose end the launch thread no longer watches, at most `limit` for
    /// each.
    func awaitEnds(within limit: Duration) {
        for runner in unreaped.values { _ = runner.hasExited(within: limit) }
    }

    /// Reaps the ended runners among those that the launch thread no longer watches, and removes their control groups,
    /// without waiting.
    ///
    /// - Returns: whether no such runner and no control group is left. A process that traces a runner keeps it from
    ///   being reaped.
    mutating func reap() -> Bool {
        for (pid, runner) in unreaped where bgl_wait(pid, 0, nil) != 0 {
            unreaped[pid] = nil
            if let group = runner.group { groups.append(group) }
        }
        groups.removeAll { $0.remove() != .occupied }
        return unreaped.isEmpty && groups.isEmpty
    }
}

/// The number of idle runners, written by the launch thread and read by other threads.
final class IdleRunnerCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func set(_ value: Int) { count.store(value, ordering: .relaxed) }
}
