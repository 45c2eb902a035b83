// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

/// The cursor of a loop: prepared before the work of an item, stored after it.
struct CursorProgress {
    /// Repetitions of a durable checkpoint before the loop ends without its confirmation.
    private static let confirmations = 3

    private let task: DeliveredTask
    private let isDurable: Bool
    /// Cursor of the item in work; nil before the first item.
    private var prepared: Data?
    /// Last cursor that was stored or read; nil at the start.
    private var reached: Data?
    /// Whether the host has not confirmed the last durable checkpoint.
    private var isUnconfirmed = false

    private var cursor: TaskCursor { TaskCursor(of: task) }

    init(of task: BGTask, durable: Bool) {
        self.task = task.delivered
        isDurable = durable
    }

    /// Reads the cursor of an earlier run. Nil: the work begins from the start.
    mutating func begin<Cursor: Decodable>(
        accepting accepts: (Cursor, BGTask.CursorOrigin) -> Bool,
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Cursor? {
        guard let stored = try cursor.read() else { return nil }
        if let decoded = try? JSONDecoder().decode(Cursor.self, from: stored.bytes), accepts(decoded, stored.origin) {
            reached = stored.bytes
            return decoded
        }
        let version = stored.origin.version.map { " of version \($0)" } ?? ""
        task.host.log(.info, "\(task.identifier) begins from the start: it refuses the cursor\(version)")
        await cursor.discard()
        return nil
    }

    /// Encodes the cursor of an item before its work, so that no work is done whose cursor cannot be stored.
    mutating func prepare(for cursor: some Encodable) throws {
        let bytes = Data(try CursorEncoding.bytes(of: cursor))
        if bytes.count > Int(BGTASK_CURSOR_MAX) { throw BGTask.ResumingError.cursorTooLong(bytes: bytes.count) }
        if bytes == reached { throw BGTask.ResumingError.cursorRepeated(String(decoding: bytes, as: UTF8.self)) }
        prepared = bytes
    }

    /// Moves the cursor behind the item in work. A host that cannot store it does not stop the work.
    mutating func advance(isolation actor: isolated (any Actor)? = #isolation) async throws {
        guard let bytes = prepared else { return }
        prepared = nil
        switch await cursor.move(to: bytes, durable: isDurable) {
        case .ended, .alreadyCompleted, .noSuchTask: throw CancellationError()
        case .unavailable: isUnconfirmed = isDurable
        default: isUnconfirmed = false
        }
        reached = bytes
    }

    /// Repeats a durable checkpoint that the host could not record, before the loop ends. The first repetitions may fail
    /// as well, for example while the disk is full.
    mutating func confirm(isolation actor: isolated (any Actor)? = #isolation) async {
        for _ in 0..<Self.confirmations {
            guard isUnconfirmed, let bytes = reached, !task.isExpiring else { return }
            isUnconfirmed = await cursor.move(to: bytes, durable: true) == .unavailable
        }
    }
}
