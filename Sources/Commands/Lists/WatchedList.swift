// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostMonitor
import TaskModel
import TerminalText

/// A list that is printed again after each change. On a terminal the list replaces the last one; elsewhere the lists
/// follow each other.
struct WatchedList {
    private let options: ListOptions
    /// The last picture, or the lines of the last rows.
    private var last: Set<String> = []

    init(_ options: ListOptions) { self.options = options }

    mutating func show<List: ListReply>(_ list: List) throws {
        let context = CommandContext.current
        if options.format.isJSON {
            let lines = try list.rows.map { try ListOptions.line($0) }
            try context.write(lines.filter { !last.contains($0) }.joined())
            last = Set(lines)
            return
        }
        let text = list.isEmpty ? List.nothingFound + "\n" : try options.text(of: list)
        // The size of the terminal is read for each picture: a list is drawn again after a change of the size, too.
        guard let size = context.screen()?.size() else {
            if last.insert(text).inserted { try context.write(text) }
            return last = [text]
        }
        let picture = Self.picture(of: text.terminalSafeLines, on: size)
        if last.contains(picture) { return }
        // The first picture clears the screen; later ones clear what is left behind their lines, without a flicker.
        try context.standardOutput((last.isEmpty ? "\u{1b}[2J" : "") + picture)
        last = [picture]
    }

    /// The control sequences and lines that replace the content of a terminal by a text. A line that is too wide is
    /// cut, and the lines below the last row are replaced by their number: the terminal must not scroll.
    static func picture(of text: String, on size: Screen.Size) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        // The cursor stays on the last row, for the prompt of the shell.
        let room = max(1, size.rows - 1)
        if lines.count > room {
            let hidden = lines.count - room + 1
            lines =
                lines.prefix(room - 1) + ["\(hidden) more lines; enlarge the terminal, or select less with a filter"]
        }
        let drawn = lines.map { $0.fitted(to: size.columns, mark: "...") + "\u{1b}[K\n" }
        return "\u{1b}[H" + drawn.joined() + "\u{1b}[J"
    }
}
