// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("A begin time is given as a time of day, a delay or an RFC 3339 time")
struct BeginTimeTests {
    private func read(_ text: String, now: String = "2026-01-31T01:48:00Z", zone: String = "GMT") throws -> String {
        let reader = Reader(
            now: try #require(Timestamp(now)).wall,
            timeZone: try #require(TimeZone(identifier: zone))
        )
        let text = Timestamp(try BeginTime(text, for: reader).time).description
        return text.replacing(".000000000", with: "")
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

    @Test func `an RFC 3339 begin option denotes its exact instant, also in the past`() throws {
        #expect(try read("2026-06-01T02:00:00+02:00") == "2026-06-01T00:00:00Z")
        #expect(try read("1999-06-01T02:00:00Z") == "1999-06-01T02:00:00Z")
    }

    @Test(arguments: [("+15m", "+15min"), ("15m", "+15min"), ("+1h30m", "+1h30min"), ("+1.5h", "+90min")])
    func `a delay in another notation is refused with the notation of this program`(
        text: String,
        notation: String
    ) throws {
        let error = try #require(throws: (any Error).self) { try read(text) }
        #expect("\(error)".contains("write \(notation) "))
    }

    @Test(arguments: [
        "", "+", "soon", "24:00", "12:60", "12:5:99", "+5", "+min", "+5x", "5min", "-5min", ":30", "1:2:3:4",
        "+99999999999999999999s", "+9999999999999d", "2026-01-31", "2026-01-31T02:00:00", "-1:30", "+-5s",
    ])
    func `an invalid begin option is refused with examples of the valid forms`(text: String) throws {
        let error = try #require(throws: (any Error).self) { try read(text) }
        #expect("\(error)".contains("02:00") && "\(error)".contains("+15min"))
    }
}
