// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Scheduling
import TaskModel

/// The cursors of running tasks: compares what the launch thread reads, and puts the bytes into the commits of the
/// scheduler, which never has them. Only the thread of the decision loop uses it.
struct CursorKeeper {
    private struct Entry {
        let submission: SubmissionNumber
        /// Digest of the cursor at the start of the run; nil without one.
        let start: Int?
        /// Number of the newest version; 0 before the first one.
        var number: UInt64 = 0
        /// The newest contents; nil before the first one.
        var image: CursorImage?
    }

    /// The tasks of each launch whose end is not on disk yet.
    private var entries: [LaunchNumber: [TaskID: Entry]] = [:]
    /// The launches and the tasks whose end a commit in flight records.
    private var ending: [Ticket: Ends] = [:]

    private struct Ends {
        var launches: [LaunchNumber] = []
        var tasks: [(launch: LaunchNumber, submission: SubmissionNumber)] = []
        var isEmpty: Bool { launches.isEmpty && tasks.isEmpty }
    }

    /// Adds a task that the launch receives.
    mutating func received(_ task: PlannedTask, with cursor: TaskCursor?, in launch: LaunchNumber) {
        if !task.mayHaveCursor { return }
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

    // MARK: Writes

    /// Keeps a newer version of a task's cursor.
    ///
    /// - Returns: the write; nil for a task whose end is on disk.
    mutating func wrote(_ slot: CursorSlot, in launch: LaunchNumber) -> CursorWrite? {
        guard var entry = entries[launch]?[slot.task] else { return nil }
        let isRepeated = entry.image == slot.image
        (entry.number, entry.image) = (slot.number, slot.image)
        entries[launch]?[slot.task] = entry
        return isRepeated ? .repeated : write(slot.image, entry)
    }

    /// Whether the keeper has this version of the task's cursor, or a newer one.
    func has(_ task: TaskID, of launch: LaunchNumber, number: UInt64) -> Bool {
        guard let entry = entries[launch]?[task], entry.image != nil else { return false }
        return number > 0 && entry.number >= number
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

extension PlannedTask {
    /// Whether the task may have a cursor.
    var mayHaveCursor: Bool { work.cursorIdentifier != nil }
}
