// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import TaskModel

/// One launch from its process's start until nothing of it is left. Belongs to the launch thread.
final class SupervisedLaunch {
    enum Phase {
        case running
        /// The first process has ended and is not reaped yet.
        case dead
        /// It is reaped; descendants may be left.
        case sweeping(ProcessTermination)
        /// No descendant is left; the control group still counts one that is leaving.
        case leavingGroup(ProcessTermination)
    }

    let number: LaunchNumber
    let process: RunnerProcess
    let mark: RunnerMark
    let hasNumber: Bool
    let group: ControlGroup?
    let lastWords: Descriptor

    var phase = Phase.running
    var wasKilled = false
    var leftRunning = 0
    var control: ControlChannel
    var calls = CallCount()
    /// When the launch is killed; nil while nothing asks for that.
    var killTime: MonotonicTime?
    var logAllowance: LineAllowance
    var outputs: [RunnerOutput: OutputReader]
    /// The first process; nil once it is reaped.
    var leader: Descriptor?
    /// While sweeping, one of the descendants that are dying; the others are found when it is dead.
    var straggler: Descriptor?
    var groupEvents: Descriptor?

    init(_ start: RunnerStation.Start, number: LaunchNumber, at now: MonotonicTime) {
        self.number = number
        process = start.process
        mark = start.mark
        hasNumber = start.hasNumber
        group = start.group
        lastWords = start.lastWords
        leader = start.leader
        control = ControlChannel(socket: start.control, at: now)
        logAllowance = LineAllowance(at: now)
        outputs = [
            .standardOutput: OutputReader(pipe: start.standardOutput, at: now),
            .standardError: OutputReader(pipe: start.standardError, at: now),
        ]
    }

    var isRunning: Bool {
        if case .running = phase { true } else { false }
    }

    /// Whether the first process has ended, noticed or not.
    var hasExited: Bool {
        guard isRunning, let leader else { return true }
        var readiness = pollfd(fd: leader.number, events: Int16(POLLIN), revents: 0)
        return poll(&readiness, 1, 0) > 0
    }

    /// Whether a process is of this launch, where the system let the mark have no number. Misses a zombie that was in no
    /// group, and whoever left both the group and the environment.
    func recognizes(_ pid: Int32) -> Bool {
        if hasNumber { return false }
        if let group, let membership = FileBytes.text("/proc/\(pid)/cgroup", limit: 4096) {
            // Two names, one of them random: no other path has both. A zombie's group is named even when it is removed.
            let names = Set(membership.split { $0 == "/" || $0 == " " || $0 == "\n" })
            if names.isSuperset(of: group.path.split(separator: "/").suffix(2)) { return true }
        }
        return RunnerMark.text(of: pid) == mark.text
    }

    /// Kills all that can be found without looking for it: the first process, its process group, the control group.
    func kill() {
        group?.kill()
        guard let leader else { return }
        _ = bgl_pidfd_signal(leader.number, SIGKILL)
        // Not reaped yet: its number still is its own, and so is the group that it leads.
        _ = Glibc.kill(-process.pid, SIGKILL)
    }

    /// Reaps the first process, which has ended.
    func reapLeader() -> ProcessTermination? {
        var end = bgl_exit()
        let status = bgl_wait(process.pid, 0, &end)
        guard status != 0 else { return nil }
        leader = nil
        guard status > 0 else {
            // Somebody else in this process reaped it: how it ended is lost, that it did is certain.
            return .signaled(SIGKILL)
        }
        if end.signal == 0 { return .exited(code: end.code) }
        let isForMemory = end.signal == SIGKILL && !wasKilled && group?.ranOutOfMemory == true
        return isForMemory ? .outOfMemory : .signaled(end.signal)
    }

    /// What the process wrote when it crashed; nil if it wrote nothing, or not what a runner writes.
    func readLastWords() -> LastWords? {
        let limit = LastWords.recordSize + 1
        let record = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            filled = max(0, bgl_read(lastWords.number, buffer.baseAddress, limit))
        }
        return try? LastWords(record: record)
    }
}
