// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Bounds the journal entries about the pushes to one plugin. The first commits of a period have entries of their own.
/// The pushes of later ones are only counted, and get their entries at the end of the period: a steady sender does not
/// displace the history of other plugins.
struct PushLines: Sendable {
    /// Maximum number of commits with entries of their own in a period.
    static let limit = 10
    static let period: Duration = .seconds(60)

    private var began: MonotonicTime
    private var written = 0
    /// The counts that are on disk, by user ID.
    private var sums: [UInt32?: PushSum] = [:]

    /// Begins a period.
    ///
    /// - Parameter sums: the counts that the last host left. With any, the period has ended, so that they get their
    ///   entries at once.
    init(at now: MonotonicTime, left sums: [PushSum] = []) {
        began = sums.isEmpty ? now : now + (.zero - Self.period)
        for sum in sums { add(sum) }
    }

    var hasSums: Bool { !sums.isEmpty }
    var end: MonotonicTime { began + Self.period }

    /// Whether the next commit has entries of its own. Counts the commit.
    mutating func takeEntries(at now: MonotonicTime) -> Bool {
        if now >= end { (began, written) = (now, 0) }
        written += 1
        return written <= Self.limit
    }

    /// Adds counts whose commit has succeeded.
    mutating func add(_ sum: PushSum) {
        var total = sums[sum.user?.uid] ?? PushSum(user: sum.user, last: sum.last)
        total.add(sum)
        sums[sum.user?.uid] = total
    }

    /// Removes and returns all counts, ordered by user ID.
    mutating func takeSums() -> [PushSum] {
        defer { sums = [:] }
        return sums.values.sorted { ($0.user?.uid ?? 0, $0.last) < ($1.user?.uid ?? 0, $1.last) }
    }
}
