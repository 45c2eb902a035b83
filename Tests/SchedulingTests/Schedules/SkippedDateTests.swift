// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import Scheduling

@Suite("Each existing local date of a calendar rule has one occurrence, also where clocks skip or repeat times")
struct SkippedDateTests {
    private static func seconds(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    /// A time zone whose offset changes once, at the time `text`. Offsets are in hours.
    private static func zone(_ before: Int64, until text: String, _ after: Int64) throws -> TimeZoneTable {
        let rules = TimeZoneRules(
            initial: before * 3600,
            transitions: [.init(at: try seconds(text), offset: after * 3600)],
            afterwards: nil
        )
        return .machine(try #require(rules))
    }

    private func occurrences(_ text: String, _ zones: TimeZoneTable, after time: String, _ count: Int) throws
        -> [String]
    {
        let rule = try #require(CalendarRule(text, zone: .machine))
        var last = WallTime(nanoseconds: try Self.seconds(time) * 1_000_000_000)
        return try (0..<count).map { _ in
            last = try #require(rule.occurrence(after: last, in: zones))
            return Date(timeIntervalSince1970: Double(last.nanoseconds) / 1e9).formatted(.iso8601)
        }
    }

    @Test
    func `an occurrence in a clock gap that begins at midnight moves to the end of the gap, on the same date`() throws {
        let zones = try Self.zone(-3, until: "2018-11-04T03:00:00Z", -2)
        #expect(
            try occurrences("00:00", zones, after: "2018-11-03T12:00:00Z", 2) == [
                "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z",
            ]
        )
        #expect(try occurrences("sun 00:30", zones, after: "2018-11-03T12:00:00Z", 1) == ["2018-11-04T03:00:00Z"])
    }

    @Test
    func `an occurrence in a clock gap over midnight moves to the end of the gap and counts for its own date`() throws {
        // 23:30 on Saturday is followed by 00:30 on Sunday.
        let zones = try Self.zone(-5, until: "2026-03-29T04:30:00Z", -4)
        #expect(
            try occurrences("sat 23:45", zones, after: "2026-03-28T12:00:00Z", 2) == [
                "2026-03-29T04:30:00Z", "2026-04-05T03:45:00Z",
            ]
        )
        #expect(try occurrences("sun 23:45", zones, after: "2026-03-28T12:00:00Z", 1) == ["2026-03-30T03:45:00Z"])
        #expect(
            try occurrences("00:15", zones, after: "2026-03-28T12:00:00Z", 2) == [
                "2026-03-29T04:30:00Z", "2026-03-30T04:15:00Z",
            ]
        )
    }

    @Test func `a calendar rule has no occurrence on a date that its time zone skips`() throws {
        // 2011-12-29 is followed by 2011-12-31.
        let zones = try Self.zone(-10, until: "2011-12-30T10:00:00Z", 14)
        #expect(
            try occurrences("02:30", zones, after: "2011-12-29T00:00:00Z", 3) == [
                "2011-12-29T12:30:00Z", "2011-12-30T12:30:00Z", "2011-12-31T12:30:00Z",
            ]
        )
        #expect(try occurrences("00:00", zones, after: "2011-12-29T12:00:00Z", 1) == ["2011-12-30T10:00:00Z"])
        #expect(try occurrences("30 02:30", zones, after: "2011-12-01T00:00:00Z", 1) == ["2012-01-29T12:30:00Z"])
    }

    @Test
    func `a calendar rule for midnight has one occurrence on a date that begins twice because clocks are set back`()
        throws
    {
        // At 00:00 on Sunday clocks are set back to 23:00 on Saturday.
        let zones = try Self.zone(-2, until: "2019-02-17T02:00:00Z", -3)
        #expect(
            try occurrences("00:00", zones, after: "2019-02-16T12:00:00Z", 2) == [
                "2019-02-17T03:00:00Z", "2019-02-18T03:00:00Z",
            ]
        )
        #expect(
            try occurrences("23:30", zones, after: "2019-02-16T12:00:00Z", 2) == [
                "2019-02-17T01:30:00Z", "2019-02-18T02:30:00Z",
            ]
        )
        // At 00:01 on Sunday, to 23:01 on Saturday: Sunday had begun before.
        let late = try Self.zone(-2, until: "2019-02-17T02:01:00Z", -3)
        #expect(
            try occurrences("00:00", late, after: "2019-02-16T12:00:00Z", 2) == [
                "2019-02-17T02:00:00Z", "2019-02-18T03:00:00Z",
            ]
        )
        #expect(try occurrences("00:00", late, after: "2019-02-17T02:30:00Z", 1) == ["2019-02-18T03:00:00Z"])
    }

    @Test func `a calendar rule has one occurrence on a date that its time zone repeats`() throws {
        // 1969-09-30 is repeated: clocks are set back by a day.
        let zones = try Self.zone(12, until: "1969-09-30T12:00:00Z", -12)
        #expect(
            try occurrences("02:30", zones, after: "1969-09-28T18:00:00Z", 3) == [
                "1969-09-29T14:30:00Z", "1969-10-01T14:30:00Z", "1969-10-02T14:30:00Z",
            ]
        )
    }

    @Test func `a calendar rule in a time zone whose rules are missing has no occurrence`() throws {
        let rule = try #require(CalendarRule("02:30", zone: .named("Europe/Berlin")))
        #expect(rule.occurrence(after: WallTime(nanoseconds: 0), in: TimeZoneTable()) == nil)
    }

    @Test func `a calendar rule has no occurrence beyond the times that 64 bits of nanoseconds hold`() throws {
        let rule = try #require(CalendarRule("02:30", zone: .utc))
        #expect(rule.occurrence(after: WallTime(nanoseconds: .max), in: .samples) == nil)
        #expect(rule.occurrence(after: WallTime(nanoseconds: .min), in: .samples) != nil)
    }
}
