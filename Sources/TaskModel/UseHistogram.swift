// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The uses of a plugin by users, by hour of the week in local time.
///
/// Each hour of the week has a weight. A use adds to the weight of its hour, at most once per hour; each Monday all
/// weights lose a quarter, so that they halve within two and a half weeks. The size of the value is fixed.
package struct UseHistogram: Hashable, Sendable {
    package static let hoursPerWeek: Int64 = 7 * 24

    /// The weight that one use adds.
    private static let use: UInt8 = 32
    /// The weight from which on a use is expected in an hour. One use does not reach it. Two uses within three weeks
    /// reach it for the next week, and a weekly use for four weeks after the last one.
    private static let expected: UInt8 = 33

    /// The weights of the hours of the week, Monday 0:00 first, as of `newest`.
    package private(set) var weights: [UInt8]
    /// The local hour of the newest use, as `hour(ofLocal:)` numbers it.
    package private(set) var newest: Int64

    /// Creates the histogram of a plugin's first use.
    package init(firstUse hour: Int64) {
        weights = Array(repeating: 0, count: Int(Self.hoursPerWeek))
        newest = hour
        weights[Self.index(of: hour)] = Self.use
    }

    /// Creates a recorded histogram; nil if the number of weights is not that of the hours of a week, or the hour is
    /// out of range.
    package init?(weights: [UInt8], newest: Int64) {
        guard weights.count == Int(Self.hoursPerWeek), (-1 << 40...1 << 40).contains(newest) else { return nil }
        self.weights = weights
        self.newest = newest
    }

    /// The number of an hour in local time: hours since a Monday, 0:00.
    ///
    /// - Parameter seconds: local time, in seconds since 1970, a Thursday, by the clocks of the zone.
    package static func hour(ofLocal seconds: Int64) -> Int64 { floor(seconds, by: 3_600) + 3 * 24 }

    /// The local time at which an hour begins, in seconds since 1970.
    package static func localStart(ofHour hour: Int64) -> Int64 { (hour - 3 * 24) * 3_600 }

    /// Adds a use.
    ///
    /// - Returns: false if a use of this hour was noted last, and nothing changes.
    package mutating func note(_ hour: Int64) -> Bool {
        if hour == newest { return false }
        let weeks = weeks(until: hour)
        if weeks > 0 { weights = weights.map { Self.decayed($0, by: weeks) } }
        let index = Self.index(of: hour)
        weights[index] = weights[index] > .max - Self.use ? .max : weights[index] + Self.use
        // After the clock was set back, the newest use is the one that was noted last.
        newest = hour
        return true
    }

    /// The number of hours since the newest use; 0 if the clock was set back since.
    package func hoursSinceUse(at hour: Int64) -> Int64 { max(0, hour - newest) }

    /// The first hour from `hour` on in which a use is expected; nil if none is expected within a week.
    package func nextExpectedHour(from hour: Int64) -> Int64? {
        (hour..<hour + Self.hoursPerWeek).first {
            Self.decayed(weights[Self.index(of: $0)], by: weeks(until: $0)) >= Self.expected
        }
    }

    /// The number of Mondays between the newest use and `hour`.
    private func weeks(until hour: Int64) -> Int64 {
        max(0, Self.floor(hour, by: Self.hoursPerWeek) - Self.floor(newest, by: Self.hoursPerWeek))
    }

    private static func decayed(_ weight: UInt8, by weeks: Int64) -> UInt8 {
        var (weight, left) = (Int(weight), weeks)
        while left > 0, weight > 0 {
            weight = weight * 3 / 4
            left -= 1
        }
        return UInt8(weight)
    }

    private static func index(of hour: Int64) -> Int { Int(hour - floor(hour, by: hoursPerWeek) * hoursPerWeek) }

    /// The quotient, rounded down also for a negative number.
    private static func floor(_ number: Int64, by divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }
}
