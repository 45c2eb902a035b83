// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Counts of observations by size, with their sum. Neither ever falls.
package struct MetricHistogram: Hashable, Sendable {
    /// Upper bounds of the buckets in ascending order. A further bucket has the observations above the last bound.
    package struct Bounds: Hashable, Sendable {
        package let values: [Double]

        /// From a millisecond to 18 hours, each four times the bound before.
        package static let durations = Bounds(values: (0..<14).map { 0.001 * Double(1 << (2 * $0)) })
        /// Tenths, from 0.1 to 1.
        package static let ratios = Bounds(values: (1...10).map { Double($0) / 10 })
        /// From 1 to 1,024, each four times the bound before.
        package static let sizes = Bounds(values: (0...5).map { Double(1 << (2 * $0)) })
    }

    package let bounds: Bounds
    /// The number of observations in each bucket; the last one has those above every bound.
    package private(set) var counts: [UInt64]
    package private(set) var sum: Double = 0

    package init(_ bounds: Bounds) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.values.count + 1)
    }

    /// Adds an observation. A negative value, such as a time measured across a change of the wall clock, counts as 0.
    package mutating func observe(_ value: Double) {
        let value = max(0, value)
        counts[bounds.values.firstIndex { value <= $0 } ?? bounds.values.count] += 1
        sum += value
    }

    package mutating func observe(_ duration: Duration) { observe(duration.inSeconds) }
}

extension Duration {
    /// The duration in seconds, as metrics state it.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1_000_000_000_000_000_000
    }
}
