// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TerminalText

/// The output of a command: encoded as JSON for programs, as text for users.
protocol Presentable: Encodable {
    /// The text for a terminal; every line ends with a newline.
    func text(for reader: Reader) -> String
}
