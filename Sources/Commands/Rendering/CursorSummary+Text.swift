// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TerminalText

extension CursorSummary {
    /// The cursor in one line.
    func text(for reader: Reader) -> String {
        let writer = "submission \(submission)" + (version.map { " of version \($0)" } ?? "")
        return "moved \(movedAt.text(for: reader)) by \(writer)\(standing)"
    }

    /// The cursor in a cell of a table.
    func brief(for reader: Reader) -> String { "moved \(movedAt.relativeText(for: reader))\(standing)" }

    private var standing: String {
        switch standstills {
        case 0: ""
        case 1: ", not in the last run"
        default: ", not in the last \(standstills) runs"
        }
    }
}

/// The last column of a table of tasks. A table that has to fit a terminal, and one without cursors, do not have it.
struct CursorColumn {
    private let reader: Reader?

    init(of cursors: [CursorSummary?], for reader: Reader) {
        self.reader = reader.width == nil && cursors.contains { $0 != nil } ? reader : nil
    }

    var heading: [String] { reader == nil ? [] : ["CURSOR"] }

    func cell(of cursor: CursorSummary?) -> [String] { reader.map { [cursor?.brief(for: $0) ?? ""] } ?? [] }
}
