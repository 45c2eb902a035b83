// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Bounds the journal entries about one kind of fact: a plugin that leaves processes without end, or a machine on which
/// every launch lacks its limits, must not fill the journal.
struct EntryBound: Hashable, Sendable {
    /// The largest number of entries in one period.
    static let limit = 10
    static let period: Duration = .seconds(60)

    private var periodBegan: MonotonicTime?
    private var written = 0
    private var omitted = 0

    /// Counts one fact, and decides whether it gets a journal entry.
    ///
    /// - Returns: the number of earlier facts that got no entry since the last one that did; nil when this fact gets
    ///   no entry.
    mutating func count(at now: MonotonicTime) -> Int? {
        if let began = periodBegan, now - began < Self.period {
            guard written < Self.limit else {
                omitted += 1
                return nil
            }
        } else {
            (periodBegan, written) = (now, 0)
        }
        written += 1
        defer { omitted = 0 }
        return omitted
    }
}
