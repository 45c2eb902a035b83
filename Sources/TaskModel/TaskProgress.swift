// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The progress that a continued task reports (statement 77).
package struct TaskProgress: Hashable, Sendable {
    package let done: Int64
    package let total: Int64

    /// Creates a progress; nil unless 0 <= `done` <= `total` and `total` > 0.
    package init?(done: Int64, total: Int64) {
        guard total > 0, 0 <= done, done <= total else { return nil }
        self.done = done
        self.total = total
    }

    /// The total; nil while it is unknown. Plugins and the transfer library report the greatest number then.
    package var knownTotal: Int64? { total < .max ? total : nil }

    /// The fraction done, from 0 to 1.
    package var fraction: Double { Double(done) / Double(total) }
}

/// The maxima of `done` and of the fraction over the reports of a continued task. Only a report that exceeds one of
/// them delays the time at which the task counts as stalled, so that a task whose progress rises and falls stalls
/// (statement 77).
package struct FurthestProgress: Hashable, Sendable {
    private var done: Int64 = -1
    private var fraction = -1.0

    package init() {}

    /// Adds a report. Returns true when its `done` or its fraction exceeds the maximum of all earlier reports.
    package mutating func include(_ progress: TaskProgress) -> Bool {
        guard progress.done > done || progress.fraction > fraction else { return false }
        done = max(progress.done, done)
        fraction = max(progress.fraction, fraction)
        return true
    }
}
