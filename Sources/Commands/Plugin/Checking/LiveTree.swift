// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import Synchronization

/// The progress of the checks of one plugin. On a terminal each running check has a line, which is replaced by its
/// result. Elsewhere each result is a line.
struct LiveTree {
    /// Maximum number of lines for running checks.
    private static let mostLines = 8

    let isOnTerminal: Bool
    private var running: [String] = []
    private var shownLines = 0

    init(isOnTerminal: Bool) { self.isOnTerminal = isOnTerminal }

    /// The text to write when a check begins.
    mutating func begin(_ check: String) -> String {
        running.append(check)
        return redrawn(above: "")
    }

    /// The text to write when a check has ended or is skipped.
    mutating func end(_ result: TrialResult) -> String {
        running.removeAll { $0 == result.check }
        return redrawn(above: "  \(result.level)  \(result.outcome.rawValue)  \(result.check)\n")
    }

    /// The text that erases the lines of running checks on the terminal, and writes them again below `line`. Elsewhere
    /// `line` alone.
    private mutating func redrawn(above line: String) -> String {
        if !isOnTerminal { return line }
        var lines = running.prefix(Self.mostLines).map { "  .  running  \($0)\n" }
        if running.count > lines.count { lines.append("  .  \(running.count - lines.count) more\n") }
        let erasure = shownLines == 0 ? "" : "\u{1b}[\(shownLines)A\u{1b}[J"
        shownLines = lines.count
        return erasure + line + lines.joined()
    }
}

/// Writes a live tree. Safe on any thread. The text is not escaped, because the names of checks contain no control
/// characters.
final class LiveOutput: Sendable {
    private let tree: Mutex<LiveTree>
    private let write: @Sendable (String) -> Void

    init(isOnTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        tree = Mutex(LiveTree(isOnTerminal: isOnTerminal))
        self.write = write
    }

    func begin(_ check: String) { draw { $0.begin(check) } }

    func end(_ result: TrialResult) { draw { $0.end(result) } }

    private func draw(_ change: (inout LiveTree) -> String) {
        // Written under the lock, so that the texts of two changes do not mix.
        tree.withLock { tree in
            let text = change(&tree)
            if !text.isEmpty { write(text) }
        }
    }
}
