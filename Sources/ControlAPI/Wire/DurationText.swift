// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Parses a duration that a user writes as whole numbers with units, such as `1h30min`.
package enum DurationText {
    package static let units = "ms, s, min, h, d"

    private static let lengths: [Substring: Int64] = [
        "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000, "d": 86_400_000_000_000,
    ]

    /// The duration that `text` denotes; nil when `text` is malformed, or the duration exceeds 64 bits of nanoseconds.
    package static func duration(_ text: Substring) -> Duration? {
        var rest = text
        var total: Int64 = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let count = Int64(digits), let length = lengths[unit] else { return nil }
            let (product, isTooLong) = count.multipliedReportingOverflow(by: length)
            let (sum, areTooLong) = total.addingReportingOverflow(product)
            if isTooLong || areTooLong { return nil }
            total = sum
        } while !rest.isEmpty
        return .nanoseconds(total)
    }
}
