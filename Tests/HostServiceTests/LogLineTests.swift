// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import TaskModel
import Testing

@testable import HostService

@Suite("A log line has time, level, message and fields")
struct LogLineTests {
    private func line(_ message: String, _ fields: Logger.Metadata = [:]) -> LogLine {
        let time = WallTime(nanoseconds: 1_769_824_080_500_000_000)
        return LogLine(level: .warning, message: message, fields: fields, time: time)
    }

    @Test func `the fields of a log line follow the message, sorted by name and in quotes when they have spaces`() {
        let line = line("ended", ["termination": "exit status 0", "launch": "41"])
        #expect(
            line.text(isInJournal: false)
                == "2026-01-31T01:48:00Z warning: ended launch=41 termination=\"exit status 0\""
        )
    }

    @Test func `a log line for the systemd journal begins with the number of its level and has no time`() {
        #expect(line("manifest refused: a.yaml:3").text(isInJournal: true) == "<4>manifest refused: a.yaml:3")
    }

    @Test func `a log message of several lines is written as one line`() {
        #expect(line("a\nb\r\n\nc").text(isInJournal: true) == "<4>a; b; c")
        #expect(line("a", ["b": "c\nd"]).text(isInJournal: true) == "<4>a b=\"c; d\"")
    }

    @Test func `unsafe characters in the message and the fields of a log line are escaped`() {
        let text = line("a\u{9b}b\u{202e}", ["file": "c\u{1b}[2Jd\u{200b}"]).text(isInJournal: true)
        #expect(text == "<4>a\\u{009B}b\\u{202E} file=c\\u{1B}[2Jd\\u{200B}")
    }
}
