// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The formats of lists.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
    /// A table that fits the terminal.
    case table
    /// A table with whole cells.
    case wide
    /// The answer of the host, with the selected rows.
    case json
    /// One JSON object per row.
    case jsonl
    /// The names of the rows, one per line.
    case name

    var isJSON: Bool { self == .json || self == .jsonl }
}
