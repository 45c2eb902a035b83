// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The items of a task's work that are left, as ``BGTask/resuming(_:by:durable:accepts:)`` returns them. The cursor of
/// the task moves behind an item when the next one is requested. An addition of this platform to Apple's API.
///
/// Request the next item only after the work of the item before it: do not hand items to child tasks, and do not put a
/// buffer between this sequence and its loop.
public struct ResumingSequence<Element, Cursor: Codable & Sendable>: AsyncSequence {
    /// Source of the items.
    enum Source {
        /// Items of a sequence, behind a cursor.
        case ordered((Cursor?) -> OrderedItems<Element>)
        /// Items that a function fetches, behind a cursor.
        case fetched(@Sendable (Cursor?) async throws -> sending [Element])
    }

    /// The iterator of the sequence. The first iterator of a run moves the cursor, and each further one throws
    /// ``BGTask/ResumingError/secondLoop``.
    public final class Iterator: AsyncIteratorProtocol {
        private let sequence: ResumingSequence
        private var progress: CursorProgress
        private var hasBegun = false
        private var hasEnded = false
        /// The items of a sequence; nil when a function fetches the items.
        private var ordered: OrderedItems<Element>?
        /// The fetched items that the loop has not received, in reverse order.
        private var fetched: [Element] = []
        /// Cursor of the last item that the loop received; nil at the start.
        private var last: Cursor?

        init(_ sequence: ResumingSequence) {
            self.sequence = sequence
            progress = CursorProgress(of: sequence.task, durable: sequence.isDurable)
        }

        /// Finishes the item before, and returns the next one; nil behind the last one.
        ///
        /// - Throws: `CancellationError` when the task is expiring or completed.
        public func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            if hasEnded { return nil }
            do {
                if let item = try await follow() { return item }
                await progress.confirm()
            } catch {
                hasEnded = true
                throw error
            }
            hasEnded = true
            return nil
        }

        private func follow(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            if hasBegun { try await progress.advance() } else { try await begin() }
            if sequence.task.isExpiring || Task.isCancelled { throw CancellationError() }
            guard let item = try await supplied() else { return nil }
            try progress.prepare(for: sequence.cursor(item))
            return item
        }

        private func supplied(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            guard case .fetched(let fetch) = sequence.source else { return try ordered?.next() }
            if fetched.isEmpty { fetched = try await fetch(last).reversed() }
            guard let item = fetched.popLast() else { return nil }
            last = sequence.cursor(item)
            return item
        }

        /// Reads the stored cursor. Deletes a cursor that does not belong to this work.
        private func begin(isolation actor: isolated (any Actor)? = #isolation) async throws {
            guard sequence.task.beginResuming() else { throw BGTask.ResumingError.secondLoop }
            hasBegun = true
            last = try await progress.begin(accepting: sequence.accepts)
            if case .ordered(let items) = sequence.source { ordered = items(last) }
        }
    }

    fileprivate let task: BGTask
    fileprivate let source: Source
    fileprivate let cursor: (Element) -> Cursor
    fileprivate let isDurable: Bool
    fileprivate let accepts: (Cursor, BGTask.CursorOrigin) -> Bool

    init(
        _ task: BGTask,
        _ source: Source,
        _ cursor: @escaping (Element) -> Cursor,
        _ isDurable: Bool,
        _ accepts: @escaping (Cursor, BGTask.CursorOrigin) -> Bool
    ) {
        self.task = task
        self.source = source
        self.cursor = cursor
        self.isDurable = isDurable
        self.accepts = accepts
    }

    /// Returns the iterator. A run of a task has one.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}
