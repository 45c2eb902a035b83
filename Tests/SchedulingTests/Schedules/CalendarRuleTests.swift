// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Scheduling
import TaskModel
import Testing

@Suite("A calendar rule has one occurrence on each of its days")
struct CalendarRuleTests {
    private let berlin = ScheduleZone.named("Europe/Berlin")

    private func at(_ text: String) throws -> WallTime {
        WallTime(nanoseconds: Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000_000_000)
    }

    /// The next `count` occurrences of the rule after `time`, as text in UTC.
    private func occurrences(_ rule: CalendarRule?, after time: String, _ count: Int) throws -> [String] {
        let rule = try #require(rule)
        var last = try at(time)
        return try (0..<count).map { _ in
            last = try #require(rule.occurrence(after: last, in: .samples))
            return Date(timeIntervalSince1970: Double(last.nanoseconds) / 1e9).formatted(.iso8601)
        }
    }

    @Test func `a daily calendar rule has an occurrence every day at its time`() throws {
        let rule = CalendarRule(hour: 2, minute: 30, zone: .utc)
        #expect(
            try occurrences(rule, after: "2026-01-01T12:00:00Z", 2) == ["2026-01-02T02:30:00Z", "2026-01-03T02:30:00Z"]
        )
        #expect(try occurrences(rule, after: "2026-01-01T02:29:59Z", 1) == ["2026-01-01T02:30:00Z"])
    }

    @Test func `the next occurrence after an occurrence of a daily calendar rule is a day later`() throws {
        let rule = CalendarRule(hour: 2, minute: 30, zone: .utc)
        #expect(try occurrences(rule, after: "2026-01-01T02:30:00Z", 1) == ["2026-01-02T02:30:00Z"])
    }

    @Test func `a calendar rule uses the local time of its zone in winter and summer`() throws {
        let rule = CalendarRule(hour: 2, minute: 30, zone: berlin)
        #expect(try occurrences(rule, after: "2026-01-01T12:00:00Z", 1) == ["2026-01-02T01:30:00Z"])
        #expect(try occurrences(rule, after: "2026-07-01T12:00:00Z", 1) == ["2026-07-02T00:30:00Z"])
    }

    @Test func `an occurrence at a time that summer time skips moves to the next existing time`() throws {
        let rule = CalendarRule(hour: 2, minute: 30, zone: berlin)
        #expect(
            try occurrences(rule, after: "2026-03-28T12:00:00Z", 3) == [
                "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z",
            ]
        )
    }

    @Test func `a calendar rule has one occurrence at a time that the end of summer time repeats`() throws {
        let rule = CalendarRule(hour: 2, minute: 30, zone: berlin)
        #expect(
            try occurrences(rule, after: "2026-10-24T12:00:00Z", 3) == [
                "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", "2026-10-27T01:30:00Z",
            ]
        )
    }

    @Test
    func `a calendar rule has no occurrence at the second pass of a time that the end of summer time repeats`() throws {
        let rule = CalendarRule(hour: 2, minute: 30, zone: berlin)
        #expect(try occurrences(rule, after: "2026-10-25T01:00:00Z", 1) == ["2026-10-26T01:30:00Z"])
    }

    @Test func `a calendar rule for the 31st skips months without that day`() throws {
        let rule = CalendarRule(hour: 4, minute: 0, days: [31], zone: .utc)
        #expect(
            try occurrences(rule, after: "2026-01-31T04:00:00Z", 3) == [
                "2026-03-31T04:00:00Z", "2026-05-31T04:00:00Z", "2026-07-31T04:00:00Z",
            ]
        )
    }

    @Test func `a calendar rule for the 29th skips February except in leap years`() throws {
        let rule = CalendarRule(hour: 4, minute: 0, days: [29], zone: .utc)
        #expect(try occurrences(rule, after: "2026-01-29T05:00:00Z", 1) == ["2026-03-29T04:00:00Z"])
        #expect(try occurrences(rule, after: "2028-01-29T05:00:00Z", 1) == ["2028-02-29T04:00:00Z"])
    }

    @Test func `weekdays of a calendar rule are those of its zone`() throws {
        let rule = CalendarRule(hour: 0, minute: 15, weekdays: [2, 3, 4, 5, 6], zone: berlin)
        // Friday evening in UTC is Saturday in Berlin, so that the next occurrence is on Monday.
        #expect(try occurrences(rule, after: "2026-01-02T22:00:00Z", 1) == ["2026-01-04T23:15:00Z"])
    }

    @Test func `a calendar rule with weekdays and days requires both to match`() throws {
        let rule = CalendarRule(hour: 13, minute: 13, weekdays: [6], days: [13], zone: .utc)
        #expect(
            try occurrences(rule, after: "2026-01-01T00:00:00Z", 3) == [
                "2026-02-13T13:13:00Z", "2026-03-13T13:13:00Z", "2026-11-13T13:13:00Z",
            ]
        )
    }

    @Test func `hours, minutes, weekdays and days out of range are refused in a calendar rule`() {
        #expect(CalendarRule(hour: 24, minute: 0, zone: .utc) == nil)
        #expect(CalendarRule(hour: 0, minute: 60, zone: .utc) == nil)
        #expect(CalendarRule(hour: 0, minute: 0, weekdays: [8], zone: .utc) == nil)
        #expect(CalendarRule(hour: 0, minute: 0, days: [0], zone: .utc) == nil)
    }

    // MARK: Calendar rules in the scheduler

    private func host(_ rule: CalendarRule?) throws -> SchedulerDriver {
        let rule = try #require(rule)
        return SchedulerDriver(.app()) {
            $0.timeZones = .samples
            $0.plugins[.app, default: PluginPolicy()].schedules = [.clean: WorkSchedule(.calendar(rule))]
        }
    }

    @Test func `a calendar schedule submits its request at each occurrence`() throws {
        let host = try host(CalendarRule(hour: 14, minute: 30, zone: .utc))
        host.advance(by: .hours(2) + .minutes(30) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.running == [.clean])
        host.runToTheEnd()
        host.advance(by: .days(1))
        #expect(host.plans.count == 2)
    }

    @Test func `a year of missed calendar occurrences is caught up by one request`() throws {
        let host = try host(CalendarRule(hour: 14, minute: 30, zone: .utc))
        host.restart(after: .days(365))
        host.finishStarting()
        host.advance(by: .seconds(2))
        #expect(host.running == [.clean])
        host.runToTheEnd()
        let plans = host.plans.count
        host.advance(by: .hours(2))
        #expect(host.plans.count == plans)
        host.advance(by: .minutes(30))
        #expect(host.plans.count == plans + 1)
    }

    @Test func `a step back of the clock over a calendar occurrence does not repeat the occurrence`() throws {
        let host = try host(CalendarRule(hour: 14, minute: 30, zone: .utc))
        host.advance(by: .hours(2) + .minutes(30))
        host.runToTheEnd()
        host.stepWallClock(by: -.minutes(10))
        host.advance(by: .hours(23))
        #expect(host.plans.count == 1)
    }
}
