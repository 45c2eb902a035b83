// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Scheduling
import TaskModel
import Testing

@Suite("The occurrences of a calendar rule name the changes of clocks that move them")
struct CalendarOccurrenceTests {
    private let berlin = ScheduleZone.named("Europe/Berlin")

    private func at(_ text: String) throws -> WallTime {
        WallTime(nanoseconds: Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000_000_000)
    }

    private func occurrences(_ text: String, after time: String, _ count: Int) throws -> [CalendarOccurrence] {
        let rule = try #require(CalendarRule(text, zone: berlin))
        return rule.occurrences(after: try at(time), count: count, in: .samples)
    }

    @Test func `an occurrence in the gap of a change of clocks is skipped, and the next one has the new offset`() throws
    {
        let found = try occurrences("02:30", after: "2026-03-28T00:00:00Z", 3)
        let times = try ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"].map(at)
        #expect(found.map(\.time) == times)
        #expect(found.map(\.shift) == [nil, .skipped, nil])
        #expect(found.map(\.offset) == [3600, 7200, 7200])
        #expect(found[1].local % 86_400 == 3 * 3600)
    }

    @Test func `an occurrence at a time that the clocks show twice is repeated`() throws {
        let found = try occurrences("02:30", after: "2026-10-24T12:00:00Z", 2)
        let times = [try at("2026-10-25T00:30:00Z"), try at("2026-10-26T01:30:00Z")]
        #expect(found.map(\.time) == times)
        #expect(found.map(\.shift) == [.repeated, nil] && found.map(\.offset) == [7200, 3600])
    }

    @Test func `a time of day outside of the changes of clocks is never shifted`() throws {
        let rule = try #require(CalendarRule("03:00", zone: berlin))
        let found = rule.occurrences(after: try at("2026-01-01T00:00:00Z"), count: 400, in: .samples)
        #expect(found.count == 400 && found.allSatisfy { $0.shift == nil })
        #expect(rule.shiftedOccurrence(after: try at("2026-01-01T00:00:00Z"), in: .samples) == nil)
    }

    @Test func `the next shifted occurrence is found within a year`() throws {
        let rule = try #require(CalendarRule("02:30", zone: berlin))
        let next = try #require(rule.shiftedOccurrence(after: try at("2026-04-01T00:00:00Z"), in: .samples))
        let time = try at("2026-10-25T00:30:00Z")
        #expect(next.shift == .repeated && next.time == time)
        let weekdays = try #require(CalendarRule("mon-fri 02:30", zone: berlin))
        #expect(weekdays.shiftedOccurrence(after: try at("2026-01-01T00:00:00Z"), in: .samples) == nil)
    }

    @Test func `a rule of an unknown zone has no occurrences`() throws {
        let rule = try #require(CalendarRule("02:30", zone: .named("Nowhere/Town")))
        #expect(rule.occurrences(after: try at("2026-01-01T00:00:00Z"), count: 5, in: .samples).isEmpty)
    }
}
