// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import Scheduling

@Suite("The rules of a time zone convert between instants and local times")
struct TimeZoneRulesTests {
    private func seconds(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    private func hours(_ rules: TimeZoneRules, _ text: String) throws -> Int64 {
        rules.offset(at: try seconds(text)) / 3600
    }

    /// The instant at which local time reaches `local`, as text in UTC. `local` is written as if it were UTC.
    private func reached(_ rules: TimeZoneRules, _ local: String) throws -> String {
        let instant = rules.firstInstant(reaching: try seconds(local))
        return Date(timeIntervalSince1970: Double(instant)).formatted(.iso8601)
    }

    @Test func `a yearly rule of a time zone changes the offset at its dates`() throws {
        for year in ["1971", "2026", "2099"] {
            #expect(try hours(.berlin, "\(year)-01-15T00:00:00Z") == 1)
            #expect(try hours(.berlin, "\(year)-07-15T00:00:00Z") == 2)
        }
        #expect(try hours(.berlin, "2026-03-29T00:59:59Z") == 1 && hours(.berlin, "2026-03-29T01:00:00Z") == 2)
        #expect(try hours(.berlin, "2026-10-25T00:59:59Z") == 2 && hours(.berlin, "2026-10-25T01:00:00Z") == 1)
    }

    @Test func `daylight saving time in the southern hemisphere lasts over New Year`() throws {
        let sydney = TimeZoneRules(
            YearlyOffsets(
                standard: 10 * 3600,
                daylight: .init(
                    offset: 11 * 3600,
                    start: YearlyDate(.weekday(0, week: 1, month: 10), at: 2 * 3600),
                    end: YearlyDate(.weekday(0, week: 1, month: 4), at: 3 * 3600)
                )
            )
        )
        #expect(try hours(sydney, "2025-12-31T23:00:00Z") == 11 && hours(sydney, "2026-01-01T01:00:00Z") == 11)
        #expect(try hours(sydney, "2026-07-01T00:00:00Z") == 10)
        #expect(try hours(sydney, "2026-10-03T15:59:59Z") == 10 && hours(sydney, "2026-10-03T16:00:00Z") == 11)
    }

    @Test
    func `a yearly rule whose daylight saving time ends where it starts has daylight saving time all year`() throws {
        let rules = TimeZoneRules(
            YearlyOffsets(
                standard: -4 * 3600,
                daylight: .init(
                    offset: -3 * 3600,
                    start: YearlyDate(.ofYear(0), at: 0),
                    end: YearlyDate(.withoutLeapDay(365), at: 25 * 3600)
                )
            )
        )
        for text in ["2026-01-01T03:59:59Z", "2026-01-01T04:00:00Z", "2028-12-31T23:00:00Z", "2026-07-01T00:00:00Z"] {
            #expect(try hours(rules, text) == -3)
        }
    }

    @Test(arguments: [
        (YearlyDate.Day.withoutLeapDay(59), "2028-02-28"), (.withoutLeapDay(60), "2028-03-01"),
        (.withoutLeapDay(365), "2028-12-31"), (.withoutLeapDay(60), "2027-03-01"), (.ofYear(0), "2028-01-01"),
        (.ofYear(59), "2028-02-29"), (.ofYear(365), "2028-12-31"), (.weekday(0, week: 1, month: 10), "2028-10-01"),
        (.weekday(6, week: 5, month: 12), "2028-12-30"), (.weekday(2, week: 5, month: 2), "2028-02-29"),
        (.weekday(4, week: 4, month: 11), "2028-11-23"),
    ])
    func `a yearly rule's date is a day of the year or a weekday of a month`(_ day: YearlyDate.Day, _ text: String)
        throws
    {
        let year = try #require(Int64(text.prefix(4)))
        #expect(try YearlyDate(day, at: 3600).seconds(in: year) == seconds("\(text)T01:00:00Z"))
    }

    @Test func `a time zone's transitions apply until the last one, and its yearly rule from then on`() throws {
        let rules = try #require(
            TimeZoneRules(
                initial: 100,
                transitions: [.init(at: 1_000, offset: 200), .init(at: 2_000, offset: -300)],
                afterwards: YearlyOffsets(standard: 400)
            )
        )
        #expect([-1, 999, 1_000, 1_999, 2_000, 3_000].map { rules.offset(at: $0) } == [100, 100, 200, 200, 400, 400])
        let endless = try #require(
            TimeZoneRules(initial: 100, transitions: [.init(at: 1_000, offset: 200)], afterwards: nil)
        )
        #expect(endless.offset(at: 1 << 40) == 200)
    }

    @Test func `transitions out of order and offsets of more than 26 hours are refused as time zone rules`() {
        let (early, late) = (TimeZoneRules.Transition(at: 1, offset: 0), TimeZoneRules.Transition(at: 2, offset: 0))
        #expect(TimeZoneRules(initial: 0, transitions: [late, early], afterwards: nil) == nil)
        #expect(TimeZoneRules(initial: 0, transitions: [early, early], afterwards: nil) == nil)
        #expect(TimeZoneRules(initial: .min, transitions: [], afterwards: nil) == nil)
        #expect(TimeZoneRules(initial: 0, transitions: [.init(at: .min, offset: 0)], afterwards: nil) == nil)
        #expect(TimeZoneRules(initial: 0, transitions: [.init(at: 0, offset: 26 * 3600 + 1)], afterwards: nil) == nil)
        #expect(TimeZoneRules(initial: 26 * 3600, transitions: [early, late], afterwards: nil) != nil)
    }

    @Test func `a local time that exists once in its zone converts to its instant`() throws {
        #expect(try reached(.berlin, "2026-01-01T12:00:00Z") == "2026-01-01T11:00:00Z")
        #expect(try reached(.berlin, "2026-07-01T12:00:00Z") == "2026-07-01T10:00:00Z")
        #expect(try reached(.newYork, "2026-07-01T22:00:00Z") == "2026-07-02T02:00:00Z")
    }

    @Test func `a local time that its zone skips converts to the end of the gap`() throws {
        for local in ["2026-03-29T02:00:00Z", "2026-03-29T02:30:00Z", "2026-03-29T02:59:59Z", "2026-03-29T03:00:00Z"] {
            #expect(try reached(.berlin, local) == "2026-03-29T01:00:00Z")
        }
        #expect(try reached(.berlin, "2026-03-29T01:59:59Z") == "2026-03-29T00:59:59Z")
        #expect(try reached(.berlin, "2026-03-29T03:00:01Z") == "2026-03-29T01:00:01Z")
    }

    @Test func `a local time that occurs twice in its zone converts to the first instant`() throws {
        #expect(try reached(.berlin, "2026-10-25T02:00:00Z") == "2026-10-25T00:00:00Z")
        #expect(try reached(.berlin, "2026-10-25T02:59:59Z") == "2026-10-25T00:59:59Z")
        #expect(try reached(.berlin, "2026-10-25T03:00:00Z") == "2026-10-25T02:00:00Z")
    }
}
