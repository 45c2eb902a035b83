// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Rows under headings, in columns as wide as their widest cell. Cuts nothing off: a terminal wraps, a pipe does not.
package struct Table: Hashable {
    package let headings: [String]
    package private(set) var rows: [[String]] = []

    package init(_ headings: String...) { self.headings = headings }

    package mutating func add(_ cells: String...) { add(cells) }

    package mutating func add(_ cells: [String]) {
        precondition(cells.count == headings.count, "a row has a cell for each heading")
        rows.append(cells.map { $0.isEmpty ? "-" : $0.terminalSafe })
    }

    /// Whole lines, the headings first.
    package var text: String {
        let widths = widths
        return ([headings] + rows).map { Self.line($0, widths: widths) }.joined()
    }

    /// Fixed for rows that come after the table was shown.
    package var widths: [Int] {
        headings.indices.map { column in
            ([headings] + rows).reduce(0) { max($0, $1[column].displayWidth) }
        }
    }

    /// The last row alone.
    package func lastLine(widths: [Int]) -> String { rows.last.map { Self.line($0, widths: widths) } ?? "" }

    private static func line(_ cells: [String], widths: [Int]) -> String {
        var line = ""
        for (cell, width) in zip(cells, widths) {
            line += cell.padded(to: width + 2)
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}
