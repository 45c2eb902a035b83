// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("Durations and instants are printed in a readable form")
struct DurationTextTests {
    @Test(arguments: [
        (0, "0s"), (1, "1ns"), (999, "999ns"), (1_500, "1us"), (3_240_000, "3.2ms"), (99_999_999, "99.9ms"),
        (850_000_000, "850ms"), (999_999_999, "999ms"), (1_000_000_000, "1s"), (22_400_000_000, "22.4s"),
        (59_999_999_999, "59.9s"), (60_000_000_000, "1min"), (605_000_000_000, "10min 5s"), (3_600_000_000_000, "1h"),
        (7_500_000_000_000, "2h 5min"), (86_400_000_000_000, "1d"), (183_600_000_000_000, "2d 3h"),
        (-90_000_000_000, "-1min 30s"),
    ])
    func `a duration is printed with at most two units and is truncated, not rounded up`(
        nanoseconds: Int64,
        text: String
    ) {
        #expect(Duration.nanoseconds(nanoseconds).humanReadable == text)
    }

    @Test(arguments: [
        (0, "now"), (400, "now"), (-400, "now"), (600, "in 1s"), (90_000, "in 1min 30s"), (720_000, "in 12min"),
        (719_000, "in 12min"), (-3_000, "3s ago"), (-5_400_000, "1h 30min ago"), (-599_000, "9min 59s ago"),
    ])
    func `an instant is printed as the time until it or since it`(milliseconds: Int64, text: String) {
        let reader = Reader(now: Samples.now, timeZone: .gmt)
        #expect(Timestamp(Samples.now + .milliseconds(milliseconds)).relativeText(for: reader) == text)
    }

    @Test func `the earliest and the latest representable instant are printed as relative times`() {
        let reader = Reader(now: Samples.now, timeZone: .gmt)
        #expect(Timestamp(WallTime(nanoseconds: .max)).relativeText(for: reader).hasPrefix("in "))
        #expect(Timestamp(WallTime(nanoseconds: .min)).relativeText(for: reader).hasSuffix(" ago"))
    }

    @Test func `local times are printed in the time zone of the reader, summer time included`() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let reader = Reader(now: Samples.now, timeZone: zone)
        #expect(Timestamp(Samples.now).localText(for: reader) == "2026-01-31 02:48:00")
        let summer = try #require(Timestamp("2026-07-01T22:30:05.9Z"))
        #expect(summer.localText(for: reader) == "2026-07-02 00:30:05")
    }
}
