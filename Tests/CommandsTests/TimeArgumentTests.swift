// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("The options of all commands read times in one notation")
struct TimeArgumentTests {
    private func reader(_ now: String, _ zone: String) throws -> Reader {
        Reader(now: try #require(Timestamp(now)).wall, timeZone: try #require(TimeZone(identifier: zone)))
    }

    private func text(_ time: WallTime) -> String {
        Timestamp(time).description.replacing(".000000000", with: "")
    }

    private func read(_ text: String, now: String = "2026-01-31T01:48:00Z", zone: String = "GMT") throws -> String {
        self.text(try TimeArgument.future(text, for: try reader(now, zone)))
    }

    private func past(_ text: String) throws -> String {
        self.text(try TimeArgument.past(text, for: try reader("2026-01-31T01:48:00Z", "GMT")))
    }

    @Test func `a begin option with a time of day means its next occurrence`() throws {
        #expect(try read("02:00") == "2026-01-31T02:00:00Z")
        #expect(try read("01:00") == "2026-02-01T01:00:00Z")
        #expect(try read("01:47:59") == "2026-02-01T01:47:59Z")
        #expect(try read("1:48:30") == "2026-01-31T01:48:30Z")
    }

    @Test func `a begin option's time of day is interpreted in the time zone of the command's environment`() throws {
        #expect(try read("02:00", zone: "Europe/Berlin") == "2026-02-01T01:00:00Z")
        #expect(try read("03:00", zone: "Europe/Berlin") == "2026-01-31T02:00:00Z")
        #expect(try read("21:00", zone: "America/New_York") == "2026-01-31T02:00:00Z")
    }

    @Test func `a begin option's time of day in the gap of a clock change means the first instant after the gap`()
        throws
    {
        #expect(try read("02:30", now: "2026-03-28T23:00:00Z", zone: "Europe/Berlin") == "2026-03-29T01:00:00Z")
    }

    @Test func `a begin option's time of day that occurs twice at a clock change means the first occurrence`() throws {
        #expect(try read("02:30", now: "2026-10-24T23:00:00Z", zone: "Europe/Berlin") == "2026-10-25T00:30:00Z")
    }

    @Test func `a begin option with a delay counts from now`() throws {
        #expect(try read("+15min") == "2026-01-31T02:03:00Z")
        #expect(try read("+1h30min") == "2026-01-31T03:18:00Z")
        #expect(try read("+2d") == "2026-02-02T01:48:00Z")
        #expect(try read("+0s") == "2026-01-31T01:48:00Z")
        #expect(try read("+5 min") == "2026-01-31T01:53:00Z")
        #expect(try read("+1500ms") == "2026-01-31T01:48:01.500000000Z")
    }

    @Test(arguments: [["journal"], ["launch", "list"], ["logs"], ["logs", "a.b"]])
    func `an --until that is not after --since is misuse, with both times`(command: [String]) async {
        for (since, until) in [("1h", "2h"), ("2026-01-31", "2026-01-30"), ("2026-01-30", "2026-01-30")] {
            let terminal = Terminal()
            let options = ["--since", since, "--until", until, "--socket", "/nowhere/socket"]
            #expect(await terminal.run(list: command + options) == .misuse)
            #expect(terminal.error.contains("which is not after --since"), "\(terminal.error)")
        }
        let options = ["--since", "2h", "--until", "1h", "--socket", "/nowhere/socket"]
        #expect(await Terminal().run(list: command + options) == .unreachable)
    }

    @Test func `an RFC 3339 begin option denotes its exact instant, also in the past`() throws {
        #expect(try read("2026-06-01T02:00:00+02:00") == "2026-06-01T00:00:00Z")
        #expect(try read("1999-06-01T02:00:00Z") == "1999-06-01T02:00:00Z")
    }

    @Test(arguments: [
        ("today", "2026-01-31"), ("yesterday", "2026-01-30"), ("tomorrow", "2026-02-01"), ("2026-06-01", "2026-06-01"),
    ])
    func `a day means its start, in the time zone of the command's environment`(text: String, day: String) throws {
        #expect(try read(text) == "\(day)T00:00:00Z")
        #expect(try past(text) == "\(day)T00:00:00Z")
        let summer = "2026-07-01T22:30:00Z"
        #expect(try read("today", now: summer, zone: "Europe/Berlin") == "2026-07-01T22:00:00Z")
    }

    @Test(arguments: [
        ("today 03:00", "2026-01-31T03:00:00Z"), ("2026-06-01 03:00", "2026-06-01T03:00:00Z"),
        ("2026-06-01T03:00:05", "2026-06-01T03:00:05Z"), ("tomorrow 0:30", "2026-02-01T00:30:00Z"),
        ("now", "2026-01-31T01:48:00Z"), ("-5min", "2026-01-31T01:43:00Z"), ("2 hours ago", "2026-01-30T23:48:00Z"),
        ("+15m", "2026-01-31T02:03:00Z"), ("+1h30m", "2026-01-31T03:18:00Z"), ("+1.5h", "2026-01-31T03:18:00Z"),
    ])
    func `dates with a time of day and distances from now mean the same in every option`(
        text: String,
        time: String
    ) throws {
        #expect(try read(text) == time)
        #expect(try past(text) == time)
    }

    @Test func `a time of day and a bare duration of an option about the past lie before now`() throws {
        #expect(try past("01:00") == "2026-01-31T01:00:00Z")
        #expect(try past("02:00") == "2026-01-30T02:00:00Z")
        #expect(try past("2h") == "2026-01-30T23:48:00Z")
        #expect(try past("1h30m") == "2026-01-31T00:18:00Z")
    }

    @Test(arguments: [("15m", "+15m"), ("5min", "+5min"), ("1H", "+1h")])
    func `a duration of an option about the future is refused with the notation of a delay`(
        text: String,
        notation: String
    ) throws {
        let error = try #require(throws: (any Error).self) { try read(text) }
        #expect("\(error)".contains("write \(notation) "))
    }

    @Test(arguments: [
        "", "+", "soon", "24:00", "12:60", "12:5:99", "+5", "+min", "+5x", ":30", "1:2:3:4", "+99999999999999999999s",
        "+9999999999999d", "2026-02-30", "2026-13-01", "9999-12-31", "2026-01-31T", "2026-1-31", "2026-01-31  02:00",
        "-1:30", "+-5s", "ago", "yesterday 24:00", "9999-12-31T00:00:00Z",
    ])
    func `an invalid time is refused with examples of the valid forms`(text: String) throws {
        let error = try #require(throws: (any Error).self) { try read(text) }
        #expect("\(error)".contains("02:00") && "\(error)".contains("+15min"))
        let other = try #require(throws: (any Error).self) { try past(text) }
        #expect("\(other)".contains("02:00") && "\(other)".contains("2h"))
    }
}
