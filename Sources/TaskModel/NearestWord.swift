// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Suggests a known name in place of an unknown one, for messages. It never replaces the input.
package enum NearestWord {
    /// The known name with the fewest differences; nil when the difference is too large for a typing error, or no name
    /// is known.
    package static func to(_ word: String, among known: [String]) -> String? {
        // 64 bytes are enough for any typing error, and the cost is the product of both lengths.
        let written = Array(word.lowercased().utf8.prefix(64))
        let distances = known.map { (word: $0, distance: distance(written, Array($0.lowercased().utf8))) }
        guard let best = distances.min(by: { ($0.distance, $0.word) < ($1.distance, $1.word) }) else { return nil }
        return best.distance <= max(2, best.word.utf8.count / 3) && best.distance < best.word.utf8.count
            ? best.word : nil
    }

    /// The remedy for an unknown name: the nearest known name, or the list of all known names.
    package static func remedy(for word: String, among known: [String]) -> String {
        if let nearest = to(word, among: known) { return "write \"\(nearest)\"" }
        return "write one of \(known.joined(separator: ", "))"
    }

    /// The remedy for an unknown name in a message that lists all known names before the remedy: the nearest known
    /// name, or a reference to that list.
    package static func remedy(for word: String, amongListed known: [String]) -> String {
        to(word, among: known).map { "write \"\($0)\"" } ?? "write one of these"
    }

    /// The remedy for the name of a missing thing. It suggests the nearest name, which belongs to another thing.
    ///
    /// - Parameter thing: the noun for both things, such as "plugin".
    package static func remedy(nearest: String, meaning thing: String) -> String {
        "write \"\(nearest)\" if that \(thing) is meant"
    }

    /// The least number of insertions, removals, replacements and swaps of neighbours that turns one text into the
    /// other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
