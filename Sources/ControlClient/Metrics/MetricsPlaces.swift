// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The number of requests for metrics in progress, which is bounded: a scraper that repeats its requests against a
/// hanging host does not use up memory and connections.
final class MetricsPlaces: Sendable {
    private static let most = 8
    private let taken = Mutex(0)

    /// Takes a place; false when all are taken.
    func take() -> Bool {
        taken.withLock { count in
            if count == Self.most { return false }
            count += 1
            return true
        }
    }

    func release() { taken.withLock { $0 -= 1 } }
}
