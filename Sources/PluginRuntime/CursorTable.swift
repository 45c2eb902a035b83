// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import RunnerWire
package import TaskModel

/// The cursors of the launch's open tasks. The numbers and the contents are never read back from the shared memory, to
/// which the plugin can write.
package struct CursorTable {
    /// The newest cursor of a task.
    package struct Current: Hashable, Sendable {
        package let bytes: [UInt8]
        package let movedAt: WallTime
        package let submission: SubmissionNumber
        /// Version of the plugin that wrote it; nil when this launch did.
        package let version: String?
    }

    private struct Entry {
        let submission: SubmissionNumber
        var current: Current?
        /// Number of the newest write; 0 before the first one.
        var number: UInt64 = 0
        /// Whether the task of a newer request has the cursor now.
        var hasYielded = false
    }

    private let launch: LaunchNumber
    private var entries: [TaskID: Entry] = [:]
    /// The open task that has written to a place.
    private var owners: [Int: TaskID] = [:]

    package init(of launch: LaunchNumber) { self.launch = launch }

    /// Adds a task; an event has no cursor and is not added.
    package mutating func add(_ task: RunnerPlan.Task) {
        if task.kind == .event { return }
        let current = task.cursor.map {
            Current(bytes: $0.bytes, movedAt: $0.movedAt, submission: $0.submission, version: $0.version)
        }
        entries[task.id] = Entry(submission: task.submission, current: current)
    }

    /// Whether the task can have a cursor.
    package func has(_ task: TaskID) -> Bool { entries[task] != nil }

    /// The newest cursor of the task; nil without one.
    package func current(of task: TaskID) -> Current? { entries[task]?.current }

    /// Ends the movements of the task's cursor.
    package mutating func yield(_ task: TaskID) { entries[task]?.hasYielded = true }

    /// Whether the task of a newer request has the cursor of the task now.
    package func hasYielded(_ task: TaskID) -> Bool { entries[task]?.hasYielded == true }

    /// Changes the cursor of a task.
    ///
    /// - Parameter bytes: the new cursor; empty to discard it.
    /// - Returns: the slot to write to the place of the task; nil when another open task uses that place.
    package mutating func write(
        _ bytes: [UInt8],
        of task: TaskID,
        at now: WallTime
    ) -> (slot: CursorSlot, place: Int)? {
        guard var entry = entries[task], let place = CursorPlaces.index(of: task, in: launch),
            owners[place, default: task] == task
        else { return nil }
        entry.number += 1
        entry.current =
            bytes.isEmpty ? nil : Current(bytes: bytes, movedAt: now, submission: entry.submission, version: nil)
        entries[task] = entry
        owners[place] = task
        return (CursorSlot(number: entry.number, task: task, bytes: bytes), place)
    }

    /// Removes a completed task.
    package mutating func close(_ task: TaskID) {
        entries[task] = nil
        if let place = CursorPlaces.index(of: task, in: launch), owners[place] == task { owners[place] = nil }
    }
}
