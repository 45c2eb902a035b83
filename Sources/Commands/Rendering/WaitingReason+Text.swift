// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TerminalText

extension WaitingReason {
    /// The code and the message of the reason, and the time at which it ends, if known.
    func text(for reader: Reader) -> String {
        let end = until.map { "; until \($0.text(for: reader))" } ?? ""
        return "\(code): \(message)\(end)"
    }
}
