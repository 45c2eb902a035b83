// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A limit for journal lines of one kind that a launch causes: the first ones are written, the others only counted.
struct BoundedLines: Sendable {
    let limit: Int
    private var count = 0

    init(limit: Int) { self.limit = limit }

    /// Number of lines beyond the limit.
    var omitted: Int { max(0, count - limit) }

    /// Counts a line; false for a line beyond the limit.
    mutating func take() -> Bool {
        count += 1
        return count <= limit
    }
}
