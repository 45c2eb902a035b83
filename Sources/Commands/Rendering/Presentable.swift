// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TerminalText

/// Something that a command shows: as it is to programs, as text to people.
protocol Presentable: Encodable {
    /// Whole lines.
    func text(for reader: Reader) -> String
}
