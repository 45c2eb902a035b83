// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import PluginLaunch
import RunnerWire
import Scheduling
import TaskModel

/// The cursors of running tasks: reads them from the memory of each launch, and puts their bytes into the commits of
/// the scheduler, which never has them. Only the thread of the decision loop uses it.
struct CursorKeeper {
    /// Minimum time between two reads of a task's cursor that no call waits for. The runner sends one note per second;
    /// only a plugin that writes to the runner's socket sends more.
    private static let shortestInterval = Duration.milliseconds(250)

    /// A read that a note owes, because the task was read a moment ago, or because the last read found no whole cursor.
    private struct OwedRead {
        let due: MonotonicTime
        let launch: LaunchNumber
        let task: TaskID
    }

    private struct Entry {
        let submission: SubmissionNumber
        /// Digest of the cursor at the start of the run; nil without one.
        let start: Int?
        /// Number of the newest version that was read; 0 before the first one.
        var number: UInt64 = 0
        /// The newest contents; nil before the first one.
        var image: CursorImage?
        var readAt: MonotonicTime?
        var owesRead = false
    }

    private var memories: [LaunchNumber: CursorMemory] = [:]
    /// The tasks of each launch whose end is not on disk yet.
    private var entries: [LaunchNumber: [TaskID: Entry]] = [:]
    /// In the order of their times.
    private var owed: Deque<OwedRead> = []
    /// The launches and the tasks whose end a commit in flight records.
    private var ending: [Ticket: Ends] = [:]

    private struct Ends {
        var launches: [LaunchNumber] = []
        var tasks: [(launch: LaunchNumber, submission: SubmissionNumber)] = []
        var isEmpty: Bool { launches.isEmpty && tasks.isEmpty }
    }

    // MARK: Launches and tasks

    mutating func began(_ launch: LaunchNumber, _ memory: CursorMemory) { memories[launch] = memory }

    /// Adds a task that the launch receives.
    mutating func received(_ task: PlannedTask, with cursor: TaskCursor?, in launch: LaunchNumber) {
        if task.work.cursorIdentifier == nil { return }
        let start = cursor.map { Self.digest(of: $0.bytes) }
        entries[launch, default: [:]][task.id] = Entry(submission: task.work.number, start: start)
    }

    /// The launches with a task whose end is not on disk yet, for tests.
    var launchesWithEntries: [LaunchNumber] { entries.keys.sorted { $0.rawValue < $1.rawValue } }

    /// A digest that two cursors share only by a chance of 1 to 2^64.
    private static func digest(of bytes: [UInt8]) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes)
        return hasher.finalize()
    }

    /// Reads the last cursors of a launch whose processes have ended.
    ///
    /// - Returns: the tasks that have written since the last read.
    mutating func ended(_ launch: LaunchNumber) -> [(task: TaskID, write: CursorWrite)] {
        let tasks = entries[launch]?.keys.sorted { $0.rawValue < $1.rawValue } ?? []
        let writes = tasks.compactMap { task in read(task, of: launch).map { (task: task, write: $0) } }
        memories[launch] = nil
        return writes
    }

    // MARK: Reading

    /// Reads the cursor of a task after a note, which may be forged. A task that was read a moment ago is read again
    /// later, and so is one whose read finds nothing: the slot may have been written at this moment.
    ///
    /// - Returns: the write; nil when none was found.
    mutating func noted(_ task: TaskID, of launch: LaunchNumber, at now: MonotonicTime) -> CursorWrite? {
        guard let entry = entries[launch]?[task] else { return nil }
        if entry.readAt.map({ now >= $0 + Self.shortestInterval }) ?? true {
            entries[launch]?[task]?.readAt = now
            if let write = read(task, of: launch) { return write }
        }
        owe(task, of: launch, at: now)
        return nil
    }

    private mutating func owe(_ task: TaskID, of launch: LaunchNumber, at now: MonotonicTime) {
        guard entries[launch]?[task]?.owesRead == false else { return }
        entries[launch]?[task]?.owesRead = true
        owed.append(OwedRead(due: now + Self.shortestInterval, launch: launch, task: task))
    }

    /// Time of the next read that a note owes; nil when none is owed.
    var nextRead: MonotonicTime? { owed.first?.due }

    /// Performs the reads that are due.
    ///
    /// - Returns: the tasks that have written since their last read.
    mutating func readOwed(at now: MonotonicTime) -> [(launch: LaunchNumber, task: TaskID, write: CursorWrite)] {
        var writes: [(launch: LaunchNumber, task: TaskID, write: CursorWrite)] = []
        while let read = owed.first, read.due <= now {
            owed.removeFirst()
            entries[read.launch]?[read.task]?.owesRead = false
            entries[read.launch]?[read.task]?.readAt = now
            guard let write = self.read(read.task, of: read.launch) else { continue }
            writes.append((launch: read.launch, task: read.task, write: write))
        }
        return writes
    }

    /// Reads the cursor of a task.
    ///
    /// - Returns: the write; nil when there is none since the last read, or when it repeated the contents.
    mutating func read(_ task: TaskID, of launch: LaunchNumber) -> CursorWrite? {
        guard let entry = entries[launch]?[task], let slot = memories[launch]?.newest(of: task, in: launch),
            slot.number > entry.number
        else { return nil }
        let write = keep(slot, of: launch)
        return write == .repeated ? nil : write
    }

    /// Reads the cursor of a task for a call that waits until the host has stored it.
    ///
    /// - Returns: the write; nil when the memory does not have it.
    mutating func awaited(_ task: TaskID, of launch: LaunchNumber, number: UInt64) -> CursorWrite? {
        guard let entry = entries[launch]?[task], number > 0 else { return nil }
        if entry.image != nil, entry.number >= number { return .repeated }
        return memories[launch]?.newest(of: task, in: launch, atLeast: number).flatMap { keep($0, of: launch) }
    }

    private mutating func keep(_ slot: CursorSlot, of launch: LaunchNumber) -> CursorWrite? {
        guard var entry = entries[launch]?[slot.task] else { return nil }
        let isRepeated = entry.image == slot.image
        (entry.number, entry.image) = (slot.number, slot.image)
        entries[launch]?[slot.task] = entry
        return isRepeated ? .repeated : write(slot.image, entry)
    }

    private func write(_ image: CursorImage, _ entry: Entry) -> CursorWrite {
        switch image {
        case .discarded: .discarded
        case .bytes(let bytes): Self.digest(of: bytes) == entry.start ? .unmoved : .moved
        }
    }

    // MARK: Commits

    /// The changes of a commit with the newest contents of the cursors that it stores.
    mutating func complete(_ changes: [LedgerChange], of ticket: Ticket) -> [LedgerChange] {
        if entries.isEmpty { return changes }
        var ends = Ends()
        let completed = changes.map { change -> LedgerChange in
            switch change {
            case .storeCursor(var cursor):
                cursor.image = entries[cursor.launch]?[cursor.task]?.image
                return .storeCursor(cursor)
            case .endTask(let launch, let submission): ends.tasks.append((launch, submission))
            case .requeueTask(let launch, let work, _): ends.tasks.append((launch, work.number))
            case .endLaunch(let launch, _): ends.launches.append(launch)
            default: break
            }
            return change
        }
        if !ends.isEmpty { ending[ticket] = ends }
        return completed
    }

    /// Removes the tasks and the launches whose end is on disk. After a failed commit the scheduler stages their
    /// changes again.
    mutating func committed(_ ticket: Ticket, isOnDisk: Bool) {
        guard let ends = ending.removeValue(forKey: ticket), isOnDisk else { return }
        for (launch, submission) in ends.tasks {
            guard let task = entries[launch]?.first(where: { $0.value.submission == submission })?.key else { continue }
            entries[launch]?[task] = nil
            if entries[launch]?.isEmpty == true { entries[launch] = nil }
        }
        for launch in ends.launches { entries[launch] = nil }
    }
}
