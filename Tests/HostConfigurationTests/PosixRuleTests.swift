// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import Testing

@testable import HostConfiguration

@Suite("The yearly rule of a time zone is read as POSIX and the C library define it")
struct PosixRuleTests {
    private static func rule(_ standard: Int64, _ daylight: Int64, _ start: YearlyDate, _ end: YearlyDate)
        -> YearlyOffsets
    {
        YearlyOffsets(standard: standard, daylight: .init(offset: daylight, start: start, end: end))
    }

    private static let march = YearlyDate(.weekday(0, week: 2, month: 3), at: 7_200)
    private static let november = YearlyDate(.weekday(0, week: 1, month: 11), at: 7_200)

    private static let rules: [(String, YearlyOffsets)] = [
        ("UTC0", YearlyOffsets(standard: 0)),
        ("JST-9", YearlyOffsets(standard: 32_400)),
        ("<+0545>-5:45", YearlyOffsets(standard: 20_700)),
        ("<-03>+3", YearlyOffsets(standard: -10_800)),
        ("LMT-0:53:28", YearlyOffsets(standard: 3_208)),
        (
            "CET-1CEST,M3.5.0,M10.5.0/3",
            rule(
                3_600,
                7_200,
                YearlyDate(.weekday(0, week: 5, month: 3), at: 7_200),
                YearlyDate(.weekday(0, week: 5, month: 10), at: 10_800)
            )
        ),
        (
            "IST-1GMT0,M10.5.0,M3.5.0/1",
            rule(
                3_600,
                0,
                YearlyDate(.weekday(0, week: 5, month: 10), at: 7_200),
                YearlyDate(.weekday(0, week: 5, month: 3), at: 3_600)
            )
        ),
        (
            "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
            rule(
                37_800,
                39_600,
                YearlyDate(.weekday(0, week: 1, month: 10), at: 7_200),
                YearlyDate(.weekday(0, week: 1, month: 4), at: 7_200)
            )
        ),
        (
            "XXX3YYY,J60/-1:30,365/167",
            rule(
                -10_800,
                -7_200,
                YearlyDate(.withoutLeapDay(60), at: -5_400),
                YearlyDate(.ofYear(365), at: 601_200)
            )
        ),
        ("EST5EDT", rule(-18_000, -14_400, march, november)),
        ("EST5EDT,M3.2.0,M11.1.0", rule(-18_000, -14_400, march, november)),
    ]

    @Test(arguments: rules)
    func `a POSIX time zone rule is parsed into offsets and dates`(_ text: String, _ rule: YearlyOffsets) {
        #expect(YearlyOffsets(posix: text) == rule)
    }

    @Test(arguments: [
        "", "UTC", "UT0", "0", "<>0", "<+03-3", "UTC25", "UTC-0:60", "UTC0:0:60", "UTC99999999999999999999", "UTC0 ",
        "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,", "CET-1CEST,M3.5.0,M10.5.0/", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M0.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
        "CET-1CEST,J0,J365", "CET-1CEST,J366,J1", "CET-1CEST,366,1", "CET-1CEST,M3.5.0,M10.5.0/168",
        "CET-1CEST,M3.5.0,M10.5.0/3,", "CET-1CEST,M3.5.0,M10.5.0/3x", "Europe/Berlin",
    ])
    func `a text that is not a POSIX time zone rule is refused`(_ text: String) {
        #expect(YearlyOffsets(posix: text) == nil)
    }
}
