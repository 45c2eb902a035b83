// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import Testing

@Suite("Times in the API are RFC 3339 in UTC, with the exact nanoseconds beside them")
struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000000Z"),
        (1_769_824_080_000_000_001, "2026-01-31T01:48:00.000000001Z"),
        (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (Int64.max, "2262-04-11T23:47:16.854775807Z"),
        (Int64.min + 1, "1677-09-21T00:12:43.145224193Z"),
    ])
    func `an instant is formatted as an RFC 3339 text, which parses back to the same instant`(
        nanoseconds: Int64,
        text: String
    ) {
        let time = Timestamp(WallTime(nanoseconds: nanoseconds))
        #expect(time.description == text)
        #expect(Timestamp(text) == time)
    }

    @Test(arguments: [
        ("2026-01-31T02:48:00+01:00", 1_769_824_080_000_000_000),
        ("2026-01-30t20:18:00.5-05:30", 1_769_824_080_500_000_000),
        ("2026-01-31 01:48:00z", 1_769_824_080_000_000_000),
        ("1970-01-01T00:00:00.1234567899Z", 123_456_789),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
    ])
    func `time zones, fractions and leap seconds of RFC 3339 times are parsed`(text: String, nanoseconds: Int64) {
        #expect(Timestamp(text)?.wall.nanoseconds == nanoseconds)
    }

    @Test(arguments: [
        "", "now", "2026-01-31", "2026-01-31T02:00:00", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T02:60:00Z", "2026-01-31T02:00:00.Z",
        "2026-01-31T02:00:00Zx", "2026-01-31T02:00:00+25:00", "9999-01-01T00:00:00Z", "2026-00-10T00:00:00Z",
    ])
    func `malformed, impossible and out-of-range RFC 3339 times are refused`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: [
        (1_769_824_080_999_999_999, "2026-01-31T01:48:00Z"), (-1, "1969-12-31T23:59:59Z"), (0, "1970-01-01T00:00:00Z"),
    ])
    func `a time is written as its whole second in RFC 3339, or as a string of its nanoseconds since 1970`(
        nanoseconds: Int64,
        second: String
    ) throws {
        let time = Timestamp(WallTime(nanoseconds: nanoseconds))
        #expect(CalendarTime(secondOf: time).description == second)
        let digits = try WireCoding.encode(time)
        #expect(String(decoding: digits, as: UTF8.self) == "\"\(nanoseconds)\"")
        #expect(try WireCoding.decode(Timestamp.self, from: digits) == time)
    }

    @Test(arguments: ["+5", "007", "-0", "", "5.0", "9223372036854775808"])
    func `nanoseconds in another notation than the encoded one are refused`(text: String) {
        #expect(throws: DecodingError.self) { try WireCoding.decode(Timestamp.self, from: Data("\"\(text)\"".utf8)) }
    }

    @Test func `a time in a request is encoded with all its nanoseconds`() throws {
        let time = CalendarTime(Timestamp(WallTime(nanoseconds: 1_769_824_080_000_000_001)))
        #expect(time.description == "2026-01-31T01:48:00.000000001Z")
        #expect(try WireCoding.decode(CalendarTime.self, from: WireCoding.encode(time)) == time)
    }

    @Test func `RFC 3339 texts of instants sort in the order of time`() {
        let times = [-5, 0, 7, 1_000_000_000, 1_500_000_000].map { Timestamp(WallTime(nanoseconds: $0)) }
        #expect(times.map(\.description).sorted() == times.map(\.description))
    }
}
