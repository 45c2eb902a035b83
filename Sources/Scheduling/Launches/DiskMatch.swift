// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The bytes, or the files, that launches added and that the disk lost, although both become visible at different
/// times.
///
/// A file system lowers its free space when a program writes, and some counters follow when the kernel writes the bytes
/// back, up to half a minute later; on other file systems the counter comes first. An amount of one side therefore
/// waits for the other side, at most two periods: an older amount has another cause. The cost is constant.
struct DiskMatch: Sendable {
    /// Total of the amounts that grew on the one side and that the disk lost on the other side.
    private(set) var matched: Int64 = 0
    private var growth = Unmatched()
    private var loss = Unmatched()

    private struct Unmatched {
        /// The unmatched amount of the previous period, in bytes or files.
        var older: Int64 = 0
        /// The unmatched amount of the present period, in bytes or files.
        var recent: Int64 = 0

        /// Removes at most `amount`, from the previous period first, and returns the removed amount.
        mutating func remove(_ amount: Int64) -> Int64 {
            let first = min(older, amount)
            let second = min(recent, amount - first)
            older -= first
            recent -= second
            return first + second
        }
    }

    /// Adds the amounts of a sample; neither is negative.
    mutating func add(growth grown: Int64, loss lost: Int64) {
        growth.recent = growth.recent.adding(grown)
        loss.recent = loss.recent.adding(lost)
        let both = min(growth.older.adding(growth.recent), loss.older.adding(loss.recent))
        matched = matched.adding(growth.remove(both))
        _ = loss.remove(both)
    }

    /// Begins a period: unmatched amounts from before the previous period expire.
    mutating func beginPeriod() {
        growth = Unmatched(older: growth.recent)
        loss = Unmatched(older: loss.recent)
    }
}

extension Int64 {
    /// The sum of two amounts that are not negative, at most `Int64.max`.
    func adding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
