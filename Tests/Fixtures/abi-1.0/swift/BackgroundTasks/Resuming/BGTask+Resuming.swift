// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

// Loops over work that continues in the next run: an addition of this platform to Apple's API.
extension BGTask {
    /// The run that wrote a cursor.
    public struct CursorOrigin: Hashable, Sendable {
        /// Version of the plugin that wrote the cursor; nil when this launch wrote it, or the manifest had none.
        public let version: String?
        /// Number of the submission whose task wrote the cursor. It differs from ``BGTask/submissionNumber`` when an
        /// earlier request of the identifier left the cursor.
        public let submissionNumber: UInt64
        /// Time of the last movement of the cursor.
        public let date: Date
    }

    /// A defect of a loop over remaining items. The item that follows was not worked on, and the cursor is unchanged.
    @nonexhaustive
    public enum ResumingError: Error, Hashable, Sendable {
        /// The cursor of the next item has more than 4096 bytes as JSON.
        case cursorTooLong(bytes: Int)
        /// The next item does not follow the item before it in the order of the cursors.
        case notAscending(String)
        /// The fetched items begin with the item that the cursor names.
        case cursorRepeated(String)
        /// Another loop over items of this task has begun in the same run.
        case secondLoop
        /// The task is an event, which has no cursor.
        case noCursor
    }

    /// The items of this task's work that no earlier run has finished. The cursor names the last finished item, and
    /// survives an interruption, an expiration and a crash:
    ///
    ///     BGTaskScheduler.shared.handle(taskWithIdentifier: "com.example.photos.export") { task in
    ///         for try await photo in task.resuming(photos, by: \.name) {
    ///             try await export(photo)
    ///         }
    ///     }
    ///
    /// The cursor moves behind an item when the loop requests the next one, or ends: never before. When the body leaves
    /// the loop by `throw`, `break` or `return`, the item is not finished, and the next run repeats it. When the task
    /// expires, the loop throws `CancellationError` between two items: let the error leave the handler, or complete the
    /// task as failed. The host then requeues the task without a charged attempt. A body that has stopped its work early
    /// must throw: a body that returns has finished the item.
    ///
    /// A task has one loop per run. On a host without cursors the loop begins with the first item.
    ///
    /// - Parameters:
    ///   - items: the items, in ascending order of their cursors. The loop compares neighbours, and throws
    ///     ``ResumingError/notAscending(_:)``.
    ///   - cursor: the cursor of an item, such as its name or its number. Stored as JSON, at most 4096 bytes.
    ///   - durable: whether the cursor is on disk before the next item begins, at the cost of one commit per item.
    ///     Otherwise a failure of the host or the machine may lose the last second: its items are repeated. When the
    ///     task of a newer request of the identifier has started, the loop of the older task throws
    ///     `CancellationError`, without `durable` one or a few items later.
    ///   - accepts: whether the items behind a stored cursor are the rest of this work. When it returns false, and when
    ///     the cursor cannot be decoded, the cursor is deleted, and the loop begins with the first item. A new version
    ///     of the plugin compares the origin's version; a task whose payload names other work compares its submission.
    public func resuming<Items: Sequence, Cursor: Codable & Comparable & Sendable>(
        _ items: Items,
        by cursor: @escaping (Items.Element) -> Cursor,
        durable: Bool = false,
        accepts: @escaping (Cursor, CursorOrigin) -> Bool = { _, _ in true }
    ) -> ResumingSequence<Items.Element, Cursor> {
        ResumingSequence(self, .ordered { OrderedItems(items, after: $0, by: cursor) }, cursor, durable, accepts)
    }

    /// The items that are cursors themselves, such as names or numbers, and that no earlier run has finished. As
    /// ``resuming(_:by:durable:accepts:)``.
    public func resuming<Items: Sequence>(
        _ items: Items,
        durable: Bool = false,
        accepts: @escaping (Items.Element, CursorOrigin) -> Bool = { _, _ in true }
    ) -> ResumingSequence<Items.Element, Items.Element> where Items.Element: Codable & Comparable & Sendable {
        resuming(items, by: { $0 }, durable: durable, accepts: accepts)
    }

    /// The remaining items of this task's work, fetched in parts, such as rows of a database. As
    /// ``resuming(_:by:durable:accepts:)``.
    ///
    ///     let rows = task.resuming(after: { try await store.rows(after: $0, limit: 100) }, by: \.number)
    ///     for try await row in rows { try await store.index(row) }
    ///
    /// - Parameters:
    ///   - fetch: returns the next items behind a cursor, nil for the start, in the order of the work. No item ends the
    ///     loop. Called when the loop has finished the items of the previous call.
    ///   - cursor: the cursor of an item. No two neighbours have the same one.
    ///   - durable: whether the cursor is on disk before the next item begins.
    ///   - accepts: whether the items behind a stored cursor are the rest of this work.
    public func resuming<Item: Sendable, Cursor: Codable & Sendable>(
        after fetch: @escaping @Sendable (Cursor?) async throws -> [Item],
        by cursor: @escaping (Item) -> Cursor,
        durable: Bool = false,
        accepts: @escaping (Cursor, CursorOrigin) -> Bool = { _, _ in true }
    ) -> ResumingSequence<Item, Cursor> {
        ResumingSequence(self, .fetched { try await fetch($0) }, cursor, durable, accepts)
    }
}

extension BGTask.ResumingError: CustomStringConvertible, LocalizedError {
    /// The defect, its rule and its remedy.
    public var description: String {
        switch self {
        case .cursorTooLong(let bytes):
            "the cursor of the next item has \(bytes) bytes as JSON, and a cursor has at most 4096; store more in the"
                + " container, and its place in the cursor"
        case .notAscending(let cursors):
            "the items are not in ascending order of their cursors: \(cursors); sort the items, without duplicates"
        case .cursorRepeated(let cursor):
            "the fetched items begin with the finished item \(cursor); fetch the items behind the cursor"
        case .secondLoop: "the task has a loop over its items already; write one loop for each run of a task"
        case .noCursor: "an event has no cursor; submit a request for work that continues"
        }
    }

    /// The same text as the description.
    public var errorDescription: String? { description }
}
