// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// Calls an action after changes in a stream of file changes, at the times that `ChangeRateLimit` computes.
final class ChangeFollower<C: Clock<Duration>>: Sendable {
    private let changes: AsyncStream<Void>
    private let clock: C
    private let rateLimit = Mutex(ChangeRateLimit<C.Instant>())

    init(_ changes: AsyncStream<Void>, clock: C) {
        self.changes = changes
        self.clock = clock
    }

    /// Calls `act` after changes, until the stream of changes ends. Throws the errors of `act`. When the calling Swift
    /// task is cancelled, it throws if a call of `act` is being delayed, and otherwise returns. Called once.
    ///
    /// - Parameter act: has to read the files anew, so that every change before its begin is covered. Its calls never
    ///   overlap.
    func run(_ act: () async throws -> Void) async throws {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in self.changes {
                    self.rateLimit.withLock { $0.changed(at: self.clock.now) }
                    signal.yield()
                }
                signal.finish()
            }
            for await _ in signals { try await actWhenDue(act) }
        }
    }

    private func actWhenDue(_ act: () async throws -> Void) async throws {
        while let due = rateLimit.withLock({ $0.due }), due > clock.now {
            try await clock.sleep(until: due, tolerance: nil)
        }
        // A signal may remain from changes that an earlier action has covered.
        guard rateLimit.withLock({ $0.begin() }) else { return }
        let start = clock.now
        try await act()
        rateLimit.withLock { $0.end(at: clock.now, after: start.duration(to: clock.now)) }
    }
}
