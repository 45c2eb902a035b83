// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// The output of a monitor. A live display on a terminal with cursor control redraws each snapshot in place of the
/// previous one. Other outputs, such as files and pipes, get each changed snapshot appended.
package struct WatchDisplay {
    private let context: MonitorContext
    private let style: PictureStyle
    /// The terminal; nil when snapshots are appended instead of redrawn in place.
    let screen: Screen?
    private let columns: Int?
    private var isOpen = false
    private var shown: Shown?

    /// The content of the last appended snapshot, to compare it with the next one.
    private enum Shown: Hashable {
        case present(HostSnapshot.FrameKey)
        case gone
    }

    private enum Control {
        // The alternate screen, with a hidden cursor and without line wrap: some terminals are narrower than they
        // report.
        static let open = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
        static let close = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
        static let home = "\u{1b}[H"
        static let restOfLine = "\u{1b}[K"
        static let restOfScreen = "\u{1b}[J"
    }

    /// Creates the display.
    ///
    /// - Parameter isLive: whether snapshots are redrawn in place, if the output is a terminal with cursor control.
    package init(_ context: MonitorContext, isLive: Bool) {
        let terminal = context.screen()
        self.context = context
        style = PictureStyle(environment: context.environment, isTerminal: terminal != nil)
        screen = isLive && style.isSteerable ? terminal : nil
        columns = terminal?.size().columns
    }

    mutating func open() throws {
        guard let screen, !isOpen else { return }
        isOpen = true
        screen.takeKeys(true)
        try context.write(Control.open)
    }

    /// Restores the state that the terminal had before `open`.
    mutating func close() {
        guard let screen, isOpen else { return }
        isOpen = false
        try? context.write(Control.close)
        screen.takeKeys(false)
    }

    mutating func suspend() throws {
        close()
        screen?.suspend()
        try open()
    }

    package mutating func show(_ host: WatchedHost) throws {
        if let screen { try redraw(host, at: screen.size()) } else { try add(host) }
    }

    private func redraw(_ host: WatchedHost, at size: Screen.Size) throws {
        let lines = picture(of: host, columns: size.columns, rows: size.rows)
        // Each line is erased before it is written: after a full line the cursor stays on the last character, which
        // would be erased. The last line of the screen gets no newline, which would scroll the screen.
        let text = lines.map { Control.restOfLine + $0 }.joined(separator: "\r\n")
        let rest = lines.count < size.rows ? "\r\n" + Control.restOfScreen : ""
        try context.write(Control.home + text + rest)
    }

    private mutating func add(_ host: WatchedHost) throws {
        let fresh: Shown =
            switch host {
            case .present(let snapshot): .present(snapshot.frameKey)
            case .gone: .gone
            }
        if fresh == shown { return }
        let separator = shown == nil ? "" : "\n"
        shown = fresh
        let lines = picture(of: host, columns: columns, rows: nil)
        try context.write(separator + lines.map { $0 + "\n" }.joined())
    }

    private func picture(of host: WatchedHost, columns: Int?, rows: Int?) -> [String] {
        WatchPicture(host, style: style, reader: context.reader()).lines(columns: columns, rows: rows)
    }
}
