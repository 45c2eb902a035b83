// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Synchronization

/// The batches in progress by user, and their limit: a batch is in progress from the head of its HTTP request until its
/// answer. The limit bounds the memory of unread bodies, and the requests of one user that wait for the scheduler. Safe
/// to use from any thread.
final class BatchTable: Sendable {
    /// Maximum number of batches in progress per user.
    static let mostPerUser = 4

    private let counts = Mutex<[UInt32: Int]>([:])

    /// Runs `body`, the handling of a call by `user`. A batch beyond the limit is refused; other calls are not counted.
    func admit<Result>(_ route: Route, of user: UInt32, _ body: () async throws -> Result) async throws -> Result {
        guard route == .taskSubmitBatch else { return try await body() }
        try begin(user)
        defer { end(user) }
        return try await body()
    }

    private func begin(_ user: UInt32) throws(RouteError) {
        let isAdmitted = counts.withLock { counts in
            guard counts[user, default: 0] < Self.mostPerUser else { return false }
            counts[user, default: 0] += 1
            return true
        }
        if !isAdmitted { throw .tooManyBatches(user: user, most: Self.mostPerUser) }
    }

    private func end(_ user: UInt32) {
        counts.withLock { counts in
            let rest = counts[user, default: 1] - 1
            counts[user] = rest == 0 ? nil : rest
        }
    }
}
