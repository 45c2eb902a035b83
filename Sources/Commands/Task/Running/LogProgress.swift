// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Synchronization
import TerminalText

/// Prints the log lines of a task, each once, as a growing table or as one JSON line per line.
final class LogProgress: Sendable {
    private struct State {
        /// By launch, the position of the last printed line.
        var last: [Int64: Int64] = [:]
        var widths: [Int] = []
        var isReadable = true
    }

    private let json: Bool
    private let state = Mutex(State())

    init(json: Bool) { self.json = json }

    /// Whether the caller may read the log, as far as known.
    var isReadable: Bool { state.withLock { $0.isReadable } }

    func setUnreadable() { state.withLock { $0.isReadable = false } }

    func show(_ line: LaunchLogLine) throws {
        try state.withLock { state in
            guard state.last[line.launch].map({ $0 < line.number }) ?? true else { return }
            state.last[line.launch] = line.number
            let context = CommandContext.current
            if json { return try context.write(String(decoding: WireCoding.encode(line), as: UTF8.self) + "\n") }
            let table = LogReply(lines: [line]).table(for: context.reader)
            // The first line determines the widths of the columns.
            try context.write(state.widths.isEmpty ? table.text : table.lastLine(widths: state.widths))
            if state.widths.isEmpty { state.widths = table.widths }
        }
    }
}
