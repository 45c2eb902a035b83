// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Replay
import TaskModel

/// The line on the terminal that shows the progress of a replay. It is redrawn in place, and erased at the end.
struct ReplayProgressLine {
    /// Minimum time between two drawings.
    static let interval = Duration.milliseconds(200)

    private let begin: WallTime
    private var last: WallTime
    private var isDrawn = false

    init(at now: WallTime) { (begin, last) = (now, now) }

    /// The text to write for the progress; nil less than `interval` after the last drawing.
    mutating func text(_ progress: ReplayProgress, at now: WallTime) -> String? {
        guard now - last >= Self.interval else { return nil }
        (last, isDrawn) = (now, true)
        let seconds = (now - begin).wholeNanoseconds / 1_000_000_000
        return "\r\(progress.hours) of \(progress.allHours) hours simulated, \(progress.launches) launches, \(seconds)s"
            + Self.erasesRest
    }

    /// The text that erases the line; nil when nothing was drawn.
    var end: String? { isDrawn ? "\r" + Self.erasesRest : nil }

    private static let erasesRest = "\u{1B}[K"
}
