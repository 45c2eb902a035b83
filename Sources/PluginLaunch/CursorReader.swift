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

    /// Maximum number of further reads for which a completion waits after a failed one, each `shortestInterval` later.
    static let mostDelays = 4

    private struct Entry {
        /// Number of the newest version that was read; 0 before the first one.
        var number: UInt64 = 0
        var readAt: MonotonicTime?
        var owesRead = false
        /// Number of owed reads for which the completion of the task has waited.
        var delays = 0
    }

    /// The result of a read at a message.
    struct Read {
        /// The newer version; nil without one.
        var slot: CursorSlot?
        /// The task if the message owes another read after `shortestInterval`.
        var owed: TaskID?
        /// Whether the message waits for that read before it is delivered.
        var isDelayed = false
    }

    /// A read that failed, for example because swapped memory of the plugin is lost.
    struct Failure {
        let error: SystemError
        /// Whether no later read of the cursor follows: it was the last read at the completion, or that at the end of the
        /// launch.
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
    /// - Parameter mayWait: whether a completion may wait for another read after a failed one.
    /// - Returns: the newer version, and whether the message owes another read: the task was read a moment ago, the read
    ///   found no whole version, because one may be written at this moment, or the read at a completion failed.
    mutating func read(at message: RunnerMessage, _ now: MonotonicTime, mayWait: Bool = true) -> Read {
        switch message {
        case .cursorWritten(let task, _): noted(task, at: now)
        case .checkpoint(_, let task, let number): Read(slot: awaited(task, number))
        case .completed(let task, _, _): completed(task, mayWait: mayWait)
        default: Read()
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

    /// The last version of a task. The scheduler decides about the task at its completion, and stores no later version:
    /// the completion waits until a read succeeds, because otherwise the task would repeat work.
    private mutating func completed(_ task: TaskID, mayWait: Bool) -> Read {
        guard let entry = entries[task] else { return Read() }
        let mayWait = mayWait && entry.delays < Self.mostDelays
        if mayWait, entry.delays > 0, entry.owesRead { return Read(isDelayed: true) }
        var hasFailed = false
        let slot = newer(of: task, isLast: !mayWait, hasFailed: &hasFailed)
        if hasFailed, mayWait {
            entries[task]?.delays += 1
            entries[task]?.owesRead = true
            return Read(owed: entry.owesRead ? nil : task, isDelayed: true)
        }
        entries[task] = nil
        return Read(slot: slot)
    }

    private mutating func noted(_ task: TaskID, at now: MonotonicTime) -> Read {
        guard let entry = entries[task] else { return Read() }
        if entry.readAt.map({ now >= $0 + Self.shortestInterval }) ?? true {
            entries[task]?.readAt = now
            if let slot = newer(of: task) { return Read(slot: slot) }
        }
        if entry.owesRead { return Read() }
        entries[task]?.owesRead = true
        return Read(owed: task)
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
        var hasFailed = false
        return newer(of: task, atLeast: number, isLast: isLast, hasFailed: &hasFailed)
    }

    private mutating func newer(
        of task: TaskID,
        atLeast number: UInt64? = nil,
        isLast: Bool,
        hasFailed: inout Bool
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
            hasFailed = true
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
