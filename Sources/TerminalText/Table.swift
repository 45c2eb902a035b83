// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A table with headings, whose columns are as wide as their widest cell. In a terminal the widest columns are cut to
/// fit it; a pipe receives whole rows.
package struct Table: Hashable {
    package let headings: [String]
    package private(set) var rows: [[String]] = []

    package init(_ headings: String...) { self.init(headings) }

    package init(_ headings: [String]) { self.headings = headings }

    package mutating func add(_ cells: String...) { add(cells) }

    package mutating func add(_ cells: [String]) {
        precondition(cells.count == headings.count, "a row has a cell for each heading")
        rows.append(cells.map { $0.isEmpty ? "-" : $0.terminalSafe })
    }

    /// The headings and all rows as text. Every line ends with a newline.
    package var text: String { text(fitting: nil) }

    /// The headings and all rows as text.
    ///
    /// - Parameter width: the columns of the terminal; nil for whole cells.
    package func text(fitting width: Int?) -> String {
        let widths = widths(fitting: width)
        return ([headings] + rows).map { Self.line($0, widths: widths) }.joined()
    }

    /// The column widths in terminal cells, to be reused for rows that are added after the table was printed.
    package var widths: [Int] {
        headings.indices.map { column in
            ([headings] + rows).reduce(0) { max($0, $1[column].displayWidth) }
        }
    }

    /// The column widths with which a row fits `width`: the widest columns are narrowed first, to `narrowest` cells at
    /// the least. A table that is still too wide is left to the terminal.
    package func widths(fitting width: Int?) -> [Int] {
        var widths = widths
        guard let width, !widths.isEmpty else { return widths }
        var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
        while excess > 0 {
            // Of equally wide columns the last one, which is more often a message than a name.
            let widest = widths.max() ?? 0
            guard widest > Self.narrowest, let column = widths.lastIndex(of: widest) else { break }
            let isOnly = widths.count { $0 == widest } == 1
            let next = max(widths.filter { $0 < widest }.max() ?? 0, Self.narrowest)
            let cut = isOnly ? min(excess, widest - next) : 1
            widths[column] -= cut
            excess -= cut
        }
        return widths
    }

    /// The last row, laid out with the given column widths; empty when there is no row.
    ///
    /// - Parameter cutting: whether cells that are wider than their column are cut.
    package func lastLine(widths: [Int], cutting: Bool = false) -> String {
        rows.last.map { Self.line($0, widths: widths, cutting: cutting) } ?? ""
    }

    private static let gap = 2
    private static let narrowest = 12
    private static let mark = "..."

    private static func line(_ cells: [String], widths: [Int], cutting: Bool = true) -> String {
        var line = ""
        for (cell, width) in zip(cells, widths) {
            line += (cutting ? cell.shortened(to: width, mark: mark) : cell).padded(to: width + gap)
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}

extension String {
    /// The string cut to `width` cells. Of an identifier the end is kept, in which identifiers differ.
    fileprivate func shortened(to width: Int, mark: String) -> String {
        let isIdentifier = !contains(" ") && contains(".")
        return isIdentifier ? endFitted(to: width, mark: mark) : fitted(to: width, mark: mark)
    }
}
