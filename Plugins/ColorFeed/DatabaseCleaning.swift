// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Synchronization

/// An operation that deletes old entries and returns their space to the file system. It checks for cancellation between
/// batches.
// Unchecked: the mutable state is in mutexes, and Operation is thread-safe.
final class DatabaseCleaning: Operation, @unchecked Sendable {
    /// Number of rows per batch. A cancellation waits for at most one batch.
    private static let batch = 200

    private let date: Date
    private let done = Mutex(false)
    private let store = Mutex<FeedStore?>(nil)

    init(olderThan date: Date) {
        self.date = date
        super.init()
    }

    /// Whether the operation has deleted all old entries and returned their space. False when it was cancelled or
    /// failed; rows that were deleted before stay deleted.
    var isDone: Bool { done.withLock { $0 } }

    /// Cancels the operation. The final vacuum has no batches, so it is interrupted.
    override func cancel() {
        super.cancel()
        store.withLock { $0 }?.interrupt()
    }

    override func main() {
        do {
            let store = try FeedStore.inContainer()
            self.store.withLock { $0 = store }
            var deleted = 0
            var last = Self.batch
            while last == Self.batch && !isCancelled {
                last = try store.delete(Self.batch, olderThan: date)
                deleted += last
            }
            if !isCancelled { try store.vacuum() }
            let isWhole = !isCancelled
            done.withLock { $0 = isWhole }
            let rest = isWhole ? "" : "; stopped after its expiration, the remaining rows later"
            BackgroundPlugin.log("deleted \(deleted) colours from before \(date.ISO8601Format())\(rest)")
        } catch  where isCancelled {
            BackgroundPlugin.log("stopped after the expiration, during a statement: \(error)")
        } catch {
            BackgroundPlugin.log("no cleaning: \(error)", level: .error)
        }
    }
}
