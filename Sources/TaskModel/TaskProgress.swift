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

    /// The fraction done, from 0 to 1.
    package var fraction: Double { Double(done) / Double(total) }
}
