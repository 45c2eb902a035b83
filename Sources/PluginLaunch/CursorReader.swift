// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import RunnerWire
import TaskModel

/// Reads the cursors of one launch from its memory: at the messages of its runner, and once after the end of its
/// processes. Confined to the launch thread, so that a read that waits for swapped memory delays no decision.
struct CursorReader {
    /// Minimum time between two reads of a task's cursor that no call waits for. The runner sends one note per second;
    /// only a plugin that writes to the runner's socket sends more.
    static let shortestInterval = Duration.milliseconds(250)

    private struct Entry {
        /// Number of the newest version that was read; 0 before the first one.
        var number: UInt64 = 0
        var readAt: MonotonicTime?
        var owesRead = false
    }

    /// A read that failed, for example because swapped memory of the plugin is lost.
    struct Failure {
        let error: SystemError
        /// Whether no later read of the cursor follows: it was the read at the completion or at the end of the launch.
        let isLast: Bool
    }

    private let memory: CursorMemory
    private let launch: LaunchNumber
    /// The tasks with a cursor that the runner has received and not completed.
    private var entries: [TaskID: Entry] = [:]
    /// The first failed read that was not reported yet.
    private var failure: Failure?

    init(_ memory: CursorMemory, of launch: LaunchNumber) {
        self.memory = memory
        self.launch = launch
    }

    /// Adds a task that the runner receives.
    mutating func add(_ task: TaskID) { entries[task] = entries[task] ?? Entry() }

    /// Reads the cursor that a message is about.
    ///
    /// - Returns: the newer version, and whether the message owes another read after `shortestInterval`: the task was
    ///   read a moment ago, or the read found no whole version, because one may be written at this moment.
    mutating func read(at message: RunnerMessage, _ now: MonotonicTime) -> (slot: CursorSlot?, owed: TaskID?) {
        switch message {
        case .cursorWritten(let task, _): return noted(task, at: now)
        case .checkpoint(_, let task, let number): return (awaited(task, number), nil)
        case .completed(let task, _, _):
            // The runner writes no cursor after the completion, and the scheduler stores none: a later read would have
            // no effect.
            let slot = newer(of: task, isLast: true)
            entries[task] = nil
            return (slot, nil)
        default: return (nil, nil)
        }
    }

    /// Performs a read that a note owes.
    mutating func readOwed(_ task: TaskID, at now: MonotonicTime) -> CursorSlot? {
        entries[task]?.owesRead = false
        entries[task]?.readAt = now
        return newer(of: task)
    }

    /// Reads the newer cursors of all unfinished tasks after the end of the processes, in the order of the tasks.
    mutating func readLast() -> [CursorSlot] {
        let tasks = entries.keys.sorted { $0.rawValue < $1.rawValue }
        return tasks.compactMap { newer(of: $0, isLast: true) }
    }

    private mutating func noted(_ task: TaskID, at now: MonotonicTime) -> (slot: CursorSlot?, owed: TaskID?) {
        guard let entry = entries[task] else { return (nil, nil) }
        if entry.readAt.map({ now >= $0 + Self.shortestInterval }) ?? true {
            entries[task]?.readAt = now
            if let slot = newer(of: task) { return (slot, nil) }
        }
        if entry.owesRead { return (nil, nil) }
        entries[task]?.owesRead = true
        return (nil, task)
    }

    /// The version that a call waits for, or a newer one; nil when it was read before, and when it is not found.
    private mutating func awaited(_ task: TaskID, _ number: UInt64) -> CursorSlot? {
        if let entry = entries[task], number <= entry.number { return nil }
        return newer(of: task, atLeast: number)
    }

    /// The newest version, unless it was read before. After a failed read the memory keeps the version for the next
    /// read. After a failed last read the version is lost, and the task continues at the newest one that was read.
    ///
    /// - Parameters:
    ///   - number: the version that a call waits for; nil without a call.
    ///   - isLast: whether no later read of the task follows.
    private mutating func newer(
        of task: TaskID,
        atLeast number: UInt64? = nil,
        isLast: Bool = false
    ) -> CursorSlot? {
        guard let entry = entries[task] else { return nil }
        do {
            let slot: CursorSlot?
            if let number {
                slot = try memory.newest(of: task, in: launch, atLeast: number)
            } else {
                slot = try memory.newest(of: task, in: launch)
            }
            guard let slot, slot.number > entry.number else { return nil }
            entries[task]?.number = slot.number
            return slot
        } catch {
            failure = failure ?? Failure(error: error, isLast: isLast)
            return nil
        }
    }

    /// Returns the first failed read since the last call.
    mutating func takeFailure() -> Failure? {
        defer { failure = nil }
        return failure
    }
}
