// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// One measured figure, beside the limit of the machine from the same run. Text, JSON, Markdown and chart of the
/// results show the same figures.
package struct Figure: Codable, Sendable {
    package enum Unit: String, Codable, Sendable {
        case milliseconds = "ms"
        case nanoseconds = "ns"
        case perSecond = "1/s"
        case mebibytes = "MiB"
        case number = ""

        /// Values of a distribution per unit: times are distributed in nanoseconds, sizes in KiB.
        fileprivate var scale: Double {
            switch self {
            case .milliseconds: 1e6
            case .mebibytes: 1_024
            case .nanoseconds, .perSecond, .number: 1
            }
        }
        fileprivate var decimals: Int {
            switch self {
            case .milliseconds: 3
            case .nanoseconds, .mebibytes: 1
            case .perSecond, .number: 0
            }
        }
        var moreIsBetter: Bool { self == .perSecond }

        func text(_ value: Double) -> String { String(format: "%.\(decimals)f", value) }
    }

    /// The median of the same work on this machine without a host.
    package struct Limit: Codable, Sendable {
        let name: String
        let median: Double
    }

    let name: String
    let unit: Unit
    /// Number of measured values.
    let count: Int
    let median: Double
    /// The value that 99 % of the values do not exceed; for a rate, the value that 99 % of the values reach.
    let p99: Double
    let max: Double
    /// Distance between the quartiles as a share of the median; nil for a median of 0.
    let spread: Double?
    let limit: Limit?

    /// Creates a figure. Throws an error without measured values.
    ///
    /// - Parameter limit: a figure with the same unit; nil if no limit was measured.
    package init(_ name: String, _ unit: Unit, _ values: Distribution, limit: Figure? = nil) throws {
        func value(at share: Double) throws -> Double {
            guard let value = values.value(at: share) else { throw BenchmarkError("\(name): no value was measured") }
            return value / unit.scale
        }
        (self.name, self.unit, count, spread) = (name, unit, values.count, values.spread)
        median = try value(at: 0.5)
        p99 = try value(at: unit.moreIsBetter ? 0.01 : 0.99)
        max = try value(at: 1)
        self.limit = limit.map { Limit(name: $0.name, median: $0.median) }
    }

    /// Creates a figure with a single value, in its unit.
    package init(_ name: String, _ unit: Unit, single value: Double, limit: Figure? = nil) throws {
        try self.init(name, unit, Distribution(values: [value * unit.scale]), limit: limit)
    }

    /// The limit as a share of the time, or the rate as a share of the limit: 1 at the limit, less above its cost. Nil
    /// without a limit.
    var shareOfLimit: Double? {
        guard let limit, limit.median > 0, median > 0 else { return nil }
        return unit.moreIsBetter ? median / limit.median : limit.median / median
    }

    /// Median, 99th percentile and maximum; the value alone if it is the only one.
    var valueText: String {
        (count == 1 ? [median] : [median, p99, max]).map(unit.text).joined(separator: " / ")
    }

    var spreadText: String? {
        count == 1 ? nil : spread.map { String(format: "%.0f %%", $0 * 100) }
    }

    /// The figure as one line of text.
    package var line: String {
        let spread = spreadText.map { ", spread \($0)" } ?? ""
        let bound = limit.map { "; limit \(unit.text($0.median)) (\($0.name))" } ?? ""
        let values = valueText + (unit == .number ? "" : " " + unit.rawValue)
        return name.padding(toLength: Swift.max(60, name.count + 1), withPad: " ", startingAt: 0) + values + spread
            + bound
    }
}
