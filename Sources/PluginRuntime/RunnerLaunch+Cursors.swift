// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

// Cursors of tasks: the feature `bgtask.cursor/1`.
extension RunnerLaunch {
    func readCursor(
        of task: TaskID,
        _ info: UnsafeMutablePointer<bgt_cursor_info>?,
        _ buffer: UnsafeMutablePointer<UInt8>?,
        _ capacity: UInt64
    ) -> Int32 {
        if let status = bar("read") { return status }
        if let info, !ForeignStruct.canFill(info, minimum: ForeignStruct.MinorZero.cursorInfo) { return BGT_INVALID }
        if buffer == nil && capacity > 0 { return BGT_INVALID }
        let (status, cursor) = state.withLock { ($0.status(ofCursorOf: task), $0.cursors.current(of: task)) }
        if status != BGT_OK { return status }
        guard let cursor else { return BGT_NOT_FOUND }
        if let info {
            let version = cursor.version.flatMap { $0.isEmpty ? nil : cursorVersions.address(of: $0) }
            let filled = bgt_cursor_info(
                size: 0,
                reserved: 0,
                length: UInt64(cursor.bytes.count),
                moved_at_ns: cursor.movedAt.nanoseconds,
                submission: UInt64(bitPattern: cursor.submission.rawValue),
                version: version
            )
            _ = ForeignStruct.fill(info, with: filled, minimum: ForeignStruct.MinorZero.cursorInfo)
        }
        guard let buffer, capacity >= UInt64(cursor.bytes.count) else { return BGT_TRUNCATED }
        buffer.update(from: cursor.bytes, count: cursor.bytes.count)
        return BGT_OK
    }

    func checkpoint(
        _ task: TaskID,
        _ cursor: UnsafePointer<UInt8>?,
        _ length: UInt64,
        _ flags: UInt32
    ) throws(CallProblem) {
        try permit("checkpoint")
        guard flags & ~UInt32(BGT_CHECKPOINT_DURABLE) == 0 else {
            throw CallProblem(
                status: BGT_TOO_NEW,
                message: "flags \(flags): only BGT_CHECKPOINT_DURABLE is known to this host; pass no other bit"
            )
        }
        guard let cursor, length > 0, length <= BGTASK_CURSOR_MAX else {
            throw CallProblem(
                status: BGT_INVALID,
                message:
                    "a cursor has 1 to \(BGTASK_CURSOR_MAX) bytes, and this one has \(length), or is NULL; store more"
                    + " in the container, and its place in the cursor"
            )
        }
        let bytes = Array(UnsafeBufferPointer(start: cursor, count: Int(length)))
        let number = try write(bytes, of: task, "checkpoint")
        if flags & UInt32(BGT_CHECKPOINT_DURABLE) != 0 { try awaitCommit(of: task, number, "checkpoint") }
    }

    func discardCursor(of task: TaskID) throws(CallProblem) {
        try permit("discard")
        let number = try write([], of: task, "discard")
        try awaitCommit(of: task, number, "discard")
    }

    /// Ends the movements of a task's cursor, because the task of a newer request starts.
    func yieldCursor(of task: TaskID) { state.withLock { $0.cursors.yield(task) } }

    /// Writes the cursor to the shared memory, and notes it for the host.
    ///
    /// - Returns: the number of the write.
    private func write(_ bytes: [UInt8], of task: TaskID, _ call: StaticString) throws(CallProblem) -> UInt64 {
        // One lock over check, write and note: a completion is before all of them or behind all of them.
        let (status, number) = state.withLock { state -> (Int32, UInt64) in
            let status = state.status(ofCursorOf: task)
            if status != BGT_OK { return (status, 0) }
            if state.cursors.hasYielded(task) { return (BGT_ENDED, 0) }
            guard let memory = cursorMemory, let write = state.cursors.write(bytes, of: task, at: .now)
            else { return (BGT_UNAVAILABLE, 0) }
            memory.write(write.slot, toPlace: write.place)
            noteCursor(of: task, number: write.slot.number, &state)
            return (BGT_OK, write.slot.number)
        }
        if status == BGT_OK { return number }
        let message = Self.message(status, of: task, call)
        if [BGT_NO_SUCH_TASK, BGT_ALREADY_COMPLETED, BGT_WRONG_KIND].contains(status) { reportForeign(task, message) }
        throw CallProblem(status: status, message: message)
    }

    /// Reports a call about the cursor of a task that has none. Only a strict host reports it. Work that an expiration
    /// interrupts may make such a call: the expiration handler may have completed the task.
    private func reportForeign(_ task: TaskID, _ message: String) {
        guard plan.imitation.contains(.strict), !state.withLock({ $0.tasks.wasCompletedAfterExpiration(task) })
        else { return }
        violation(.movedForeignCursor, message)
    }

    private static func message(_ status: Int32, of task: TaskID, _ call: StaticString) -> String {
        switch status {
        case BGT_NO_SUCH_TASK: "\(call): task \(task) was not delivered to this launch; pass the task of the handler"
        case BGT_ALREADY_COMPLETED: "\(call): task \(task) is completed; move its cursor before the completion"
        case BGT_WRONG_KIND: "\(call): task \(task) is an event, and events have no cursor; submit a request"
        case BGT_ENDED:
            "\(call): a newer request of the identifier runs, and only its task moves the cursor now; complete this task"
        default:
            "\(call): too many tasks with a cursor are open in this launch (limit: \(CursorPlaces.count)); complete some"
        }
    }

    /// Blocks until the host has stored the write.
    private func awaitCommit(of task: TaskID, _ number: UInt64, _ call: StaticString) throws(CallProblem) {
        switch calls.call({ channel.send(.checkpoint($0, task, number: number)) }) {
        case .cursorStored(isRecorded: true): return
        case .cursorStored(isRecorded: false):
            throw CallProblem(
                status: BGT_UNAVAILABLE,
                subReason: BGT_REASON_NOT_RECORDED,
                message: "\(call): the host could not record the cursor yet, and tries again; call it again later"
            )
        // For good, unlike a failed commit: the host stores no cursor of the task any more.
        case .refused(let refusal) where refusal.subReason == .notRecorded:
            throw CallProblem(status: BGT_ENDED, message: refusal.message)
        case .refused(let refusal): throw CallProblem(refusal)
        case .submitted, .cancelled, .pending, .pushToken, .transferBegun, .transfers:
            throw Self.foreignAnswer(to: call)
        case nil: throw Self.ended(call)
        }
    }
}

extension RunnerLaunch.State {
    fileprivate func status(ofCursorOf task: TaskID) -> Int32 {
        switch tasks.presence(of: task) {
        case .unknown: BGT_NO_SUCH_TASK
        case .completed: BGT_ALREADY_COMPLETED
        case .open: cursors.has(task) ? BGT_OK : BGT_WRONG_KIND
        }
    }
}

/// The versions of plugins that wrote cursors, as strings that are valid until the process ends.
final class CursorVersions: Sendable {
    // Unchecked: the strings are written once and never freed.
    private struct Text: @unchecked Sendable { let address: UnsafePointer<CChar> }
    private let texts = Mutex<[String: Text]>([:])

    func address(of version: String) -> UnsafePointer<CChar> {
        texts.withLock { texts in
            if let known = texts[version] { return known.address }
            let text = Text(address: UnsafePointer(version.stored()))
            texts[version] = text
            return text.address
        }
    }
}
