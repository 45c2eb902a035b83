// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import TaskModel

/// One launch, from the start of its process until none of its processes is left. Confined to the launch thread.
final class SupervisedLaunch {
    enum Phase {
        case running
        /// The first process has ended and is not reaped yet.
        case dead
        /// The first process is reaped; descendants may be left.
        case sweeping(ProcessTermination)
        /// No descendant is left, but the control group still contains an exiting process.
        case leavingGroup(ProcessTermination)
    }

    let number: LaunchNumber
    let process: RunnerProcess
    let mark: RunnerMark
    let hasNumber: Bool
    let group: ControlGroup?
    let lastWords: Descriptor
    var cursors: CursorReader

    var phase = Phase.running
    var wasKilled = false
    var leftRunning = 0
    var control: RunnerChannel
    var calls = CallCount()
    /// Time at which the launch is killed; nil for no kill time.
    var killTime: MonotonicTime?
    var logRateLimit: LineRateLimit
    var outputs: [RunnerOutput: OutputReader]
    /// Descriptor of the first process; nil once it is reaped.
    var leader: Descriptor?
    /// One leftover process of the launch, watched for its end; nil when none is watched. After its end the next sweep
    /// finds the other leftover processes.
    var leftover: Descriptor?
    var groupEvents: Descriptor?
    var refusals: RefusedCalls?

    init(_ start: RunnerStation.Start, number: LaunchNumber, at now: MonotonicTime) {
        self.number = number
        process = start.process
        mark = start.mark
        hasNumber = start.hasNumber
        group = start.group
        lastWords = start.lastWords
        cursors = CursorReader(start.cursors, of: number)
        leader = start.leader
        control = RunnerChannel(socket: start.control, at: now)
        logRateLimit = LineRateLimit(at: now)
        outputs = [
            .standardOutput: OutputReader(pipe: start.standardOutput, at: now),
            .standardError: OutputReader(pipe: start.standardError, at: now),
        ]
    }

    var isRunning: Bool {
        if case .running = phase { true } else { false }
    }

    /// Whether the first process has ended, even if the loop has not handled its end yet.
    var hasExited: Bool {
        guard isRunning, let leader else { return true }
        var readiness = pollfd(fd: leader.number, events: Int16(POLLIN), revents: 0)
        return poll(&readiness, 1, 0) > 0
    }

    /// Whether a process belongs to this launch, by its control group or by the mark text in its environment. Always
    /// false when the system accepted the number of the mark. Outside the control group, misses zombies and processes
    /// without the mark text.
    func recognizes(_ pid: Int32) -> Bool {
        if hasNumber { return false }
        if let group, let membership = FileBytes.text("/proc/\(pid)/cgroup", limit: 4096) {
            // Two directory names, one of them random: no other path contains both. The group of a zombie is listed
            // even after its removal.
            let names = Set(membership.split { $0 == "/" || $0 == " " || $0 == "\n" })
            if names.isSuperset(of: group.path.split(separator: "/").suffix(2)) { return true }
        }
        return RunnerMark.text(of: pid) == mark.text
    }

    /// Kills all processes that can be reached without a search: the first process, its process group, and the control
    /// group.
    func kill() {
        group?.kill()
        guard let leader else { return }
        _ = bgl_pidfd_signal(leader.number, SIGKILL)
        // The first process is not reaped yet, so its number and its process group have not been reused.
        _ = Glibc.kill(-process.pid, SIGKILL)
    }

    /// Reaps the first process and returns its termination; nil while it runs, or while a process that traces it keeps
    /// it from being reaped.
    func reapLeader() -> ProcessTermination? {
        var end = bgl_exit()
        let status = bgl_wait(process.pid, 0, &end)
        guard status != 0 else { return nil }
        leader = nil
        guard status > 0 else {
            // Other code in this process reaped it: its status is lost, but it has certainly ended.
            return .signaled(SIGKILL)
        }
        if end.signal == 0 { return .exited(code: end.code) }
        let isForMemory = end.signal == SIGKILL && !wasKilled && group?.ranOutOfMemory == true
        return isForMemory ? .outOfMemory : .signaled(end.signal)
    }

    /// The crash record that the process wrote; nil if there is none or it is malformed.
    func readLastWords() -> LastWords? {
        let limit = LastWords.recordSize + 1
        let record = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            filled = max(0, bgl_read(lastWords.number, buffer.baseAddress, limit))
        }
        return try? LastWords(record: record)
    }
}
