// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import TerminalText

/// One line of a picture, as pieces with one tone each. Control characters from plugins are escaped.
struct PictureLine: Hashable {
    enum Tone: String {
        case plain = ""
        case strong = "1"
        case faint = "2"
        case fine = "32"
        case warning = "33"
        case alarm = "1;31"
    }

    private struct Piece: Hashable {
        var text: String
        var tone: Tone
    }

    private var pieces: [Piece] = []

    init(_ text: String = "", _ tone: Tone = .plain) { add(text, tone) }

    var width: Int { pieces.reduce(0) { $0 + $1.text.displayWidth } }

    mutating func add(_ text: String, _ tone: Tone = .plain) {
        if !text.isEmpty { pieces.append(Piece(text: text.terminalSafe, tone: tone)) }
    }

    mutating func pad(to width: Int) { add(String(repeating: " ", count: max(0, width - self.width))) }

    /// A copy of the line with all pieces in one tone.
    func toned(_ tone: Tone) -> PictureLine {
        var line = self
        for index in line.pieces.indices { line.pieces[index].tone = tone }
        return line
    }

    /// The text of the line with its colours, cut to `columns`.
    ///
    /// - Parameter columns: maximum width in cells; nil for no limit.
    func text(columns: Int?, style: PictureStyle) -> String {
        let mark = columns.map { width > $0 } == true ? style.mark : ""
        var room = columns.map { $0 - mark.displayWidth } ?? .max
        var text = ""
        for piece in pieces {
            let fitting = piece.text.fitted(to: room, mark: "")
            room -= fitting.displayWidth
            text += Self.toned(fitting, piece.tone, style)
            // After a cut piece the line ends, even if a narrower piece would still fit.
            if fitting.utf8.count < piece.text.utf8.count { break }
        }
        text += mark
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func toned(_ text: String, _ tone: Tone, _ style: PictureStyle) -> String {
        style.isColoured && tone != .plain && !text.isEmpty ? "\u{1b}[\(tone.rawValue)m\(text)\u{1b}[0m" : text
    }
}
