// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The rule for every `--limit`.
enum LimitArgument {
    /// Largest number of items that a command collects from several pages.
    static let range = 1...10_000

    static func check(_ limit: Int) throws {
        if range.contains(limit) { return }
        throw ValidationError("--limit \(limit) is not from \(range.lowerBound) to \(range.upperBound)")
    }
}
