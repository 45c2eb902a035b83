// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

/// The calls of the host about the cursor of a delivered task.
struct TaskCursor: Sendable {
    /// The cursor that an earlier run of the identifier left.
    struct Stored {
        let bytes: Data
        let origin: BGTask.CursorOrigin
    }

    private let task: DeliveredTask

    init(of task: DeliveredTask) { self.task = task }

    /// Reads the newest cursor of the task. Nil: the work begins from the start, also on a host without cursors.
    ///
    /// - Throws: `CancellationError` after the end of the task, and ``BGTask/ResumingError/noCursor`` for an event.
    func read() throws -> Stored? {
        var information = bgt_cursor_info()
        var bytes = [UInt8](repeating: 0, count: Int(BGTASK_CURSOR_MAX))
        let status = bytes.withUnsafeMutableBufferPointer {
            bgt_read_cursor(task.host.table, task.id, &information, $0.baseAddress, UInt64($0.count))
        }
        switch Host.Status(rawValue: status) {
        case .ok: break
        case .wrongKind: throw BGTask.ResumingError.noCursor
        case .ended, .alreadyCompleted, .noSuchTask: throw CancellationError()
        default: return nil
        }
        let origin = BGTask.CursorOrigin(
            version: information.version.map { String(cString: $0) },
            submissionNumber: information.submission,
            date: Date(timeIntervalSince1970: Double(information.moved_at_ns) / 1e9)
        )
        return Stored(bytes: Data(bytes.prefix(Int(clamping: information.length))), origin: origin)
    }

    /// Moves the cursor behind finished work.
    ///
    /// - Parameter durable: whether the call returns after the commit, which blocks.
    func move(to bytes: Data, durable: Bool) async -> Host.Status {
        let flags = durable ? UInt32(BGT_CHECKPOINT_DURABLE) : 0
        let move = { @Sendable [task] in
            let status = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { bgt_checkpoint(task.host.table, task.id, $0, UInt64(bytes.count), flags) }
            }
            return Host.Status(rawValue: status ?? BGT_INVALID)
        }
        return durable ? await Self.waiting(move) : move()
    }

    /// Deletes the cursor, and returns after the commit. A failed commit is repeated by the host.
    func discard() async {
        _ = await Self.waiting { [task] in Host.Status(rawValue: bgt_discard_cursor(task.host.table, task.id)) }
    }

    /// Makes a call that blocks on a thread that may block.
    private static func waiting(_ call: @escaping @Sendable () -> Host.Status) async -> Host.Status {
        await withCheckedContinuation { continuation in
            Host.waitingQueue.async { continuation.resume(returning: call()) }
        }
    }
}
