// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A table with headings, whose columns are as wide as their widest cell. Long rows are not cut: a terminal wraps them,
/// and a pipe receives them whole.
package struct Table: Hashable {
    package let headings: [String]
    package private(set) var rows: [[String]] = []

    package init(_ headings: String...) { self.headings = headings }

    package mutating func add(_ cells: String...) { add(cells) }

    package mutating func add(_ cells: [String]) {
        precondition(cells.count == headings.count, "a row has a cell for each heading")
        rows.append(cells.map { $0.isEmpty ? "-" : $0.terminalSafe })
    }

    /// The headings and all rows as text. Every line ends with a newline.
    package var text: String {
        let widths = widths
        return ([headings] + rows).map { Self.line($0, widths: widths) }.joined()
    }

    /// The column widths in terminal cells, to be reused for rows that are added after the table was printed.
    package var widths: [Int] {
        headings.indices.map { column in
            ([headings] + rows).reduce(0) { max($0, $1[column].displayWidth) }
        }
    }

    /// The last row, laid out with the given column widths; empty when there is no row.
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
