// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Measured times, in nanoseconds, in ascending order.
package struct Distribution: Sendable {
    private let sorted: [Int64]

    package init(_ values: some Sequence<Int64>) { sorted = values.sorted() }

    package var count: Int { sorted.count }

    /// The time in milliseconds below which the given share of the values lies; nil without values.
    package func milliseconds(at share: Double) -> Double? {
        if sorted.isEmpty { return nil }
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1e6
    }

    /// Median, 99th percentile and maximum in milliseconds, as text.
    package var text: String {
        [0.5, 0.99, 1].map { share in milliseconds(at: share).map { String(format: "%.3f", $0) } ?? "-" }
            .joined(separator: " / ")
    }
}

/// The current time of the monotonic clock, in nanoseconds.
package func monotonicNow() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
