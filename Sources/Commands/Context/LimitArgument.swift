// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The permitted range of every `--limit` that counts items.
enum LimitArgument {
    /// Range of the number of items that a command may collect from several pages.
    static let range = 1...10_000

    static func check(_ limit: Int) throws {
        if range.contains(limit) { return }
        throw ValidationError(
            "--limit \(limit) is not between \(range.lowerBound) and \(range.upperBound);"
                + " write a whole number in that range"
        )
    }
}
