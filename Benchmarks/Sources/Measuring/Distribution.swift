// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Measured values in ascending order; times are in nanoseconds.
package struct Distribution: Sendable {
    private let sorted: [Double]

    package init(_ times: some Sequence<Int64>) { self.init(values: times.map { Double($0) }) }
    package init(values: some Sequence<Double>) { sorted = values.sorted() }

    package var count: Int { sorted.count }

    /// The value below which the given share of the values lies; nil without values.
    package func value(at share: Double) -> Double? {
        if sorted.isEmpty { return nil }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// The time in milliseconds below which the given share of the times lies; nil without values.
    package func milliseconds(at share: Double) -> Double? { value(at: share).map { $0 / 1e6 } }

    /// Distance between the quartiles as a share of the median; nil without values and for a median of 0.
    package var spread: Double? {
        guard let low = value(at: 0.25), let median = value(at: 0.5), let high = value(at: 0.75), median != 0
        else { return nil }
        return (high - low) / median
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
