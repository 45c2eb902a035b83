// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Synchronization
import TaskModel

/// The runners that wait for a plan, oldest first, and those of them that were ended and are not reaped yet. They have
/// loaded no plugin code and have no launch. Confined to the launch thread.
struct IdleRunners {
    private(set) var waiting: [RunnerStation.Start] = []
    private(set) var ending: [Int32: RunnerStation.Start] = [:]

    var isEmpty: Bool { waiting.isEmpty && ending.isEmpty }

    func contains(_ pid: Int32) -> Bool { ending[pid] != nil || waiting.contains { $0.process.pid == pid } }

    /// The descriptor of the process; nil when the process is no idle runner.
    func leader(of pid: Int32) -> Descriptor? {
        ending[pid]?.leader ?? waiting.first { $0.process.pid == pid }?.leader
    }

    mutating func add(_ runner: RunnerStation.Start) { waiting.append(runner) }

    /// Removes and returns the runner that has waited longest.
    mutating func takeOldest() -> RunnerStation.Start? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Kills waiting runners until `count` are left.
    mutating func keep(_ count: Int) {
        while waiting.count > count {
            let runner = waiting.removeLast()
            _ = bgl_pidfd_signal(runner.leader.number, SIGKILL)
            ending[runner.process.pid] = runner
        }
    }

    /// Reaps the process and removes its control group. Returns whether the process ended by itself, or nil while it
    /// still runs.
    mutating func reap(_ pid: Int32, waits: Bool = false) -> Bool? {
        let index = waiting.firstIndex { $0.process.pid == pid }
        guard let runner = index.map({ waiting[$0] }) ?? ending[pid] else { return nil }
        guard bgl_wait(pid, waits ? 1 : 0, nil) != 0 else { return nil }
        _ = runner.group?.remove()
        if let index { waiting.remove(at: index) }
        return ending.removeValue(forKey: pid) == nil
    }
}

/// The number of idle runners, written by the launch thread and read by others.
final class IdleRunnerCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func set(_ value: Int) { count.store(value, ordering: .relaxed) }
}
