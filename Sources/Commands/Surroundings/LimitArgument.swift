// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The rule for every `--limit`.
enum LimitArgument {
    static func check(_ limit: Int, in range: ClosedRange<Int>) throws {
        if range.contains(limit) { return }
        throw ValidationError("--limit \(limit) is not from \(range.lowerBound) to \(range.upperBound)")
    }
}
