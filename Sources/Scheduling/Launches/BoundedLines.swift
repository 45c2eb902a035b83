// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Journal lines of one kind that a launch causes: the first ones are written, the others are counted.
struct BoundedLines: Sendable {
    let limit: Int
    private var count = 0

    init(limit: Int) { self.limit = limit }

    /// Lines beyond the limit.
    var omitted: Int { max(0, count - limit) }

    /// Counts a line; false for a line beyond the limit.
    mutating func take() -> Bool {
        count += 1
        return count <= limit
    }
}
