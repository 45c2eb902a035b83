// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

extension ScheduleZone {
    static let utc = ScheduleZone.named("UTC")
}

extension TimeZoneRules {
    /// The rules of Berlin: UTC+1, in summer UTC+2, with the dates of the European Union.
    static let berlin = european(hours: 1)
    static let helsinki = european(hours: 2)
    /// The rules of New York: UTC-5, in summer UTC-4, with the dates of the United States.
    static let newYork = TimeZoneRules(
        YearlyOffsets(
            standard: -5 * 3600,
            daylight: .init(
                offset: -4 * 3600,
                start: YearlyDate(.weekday(0, week: 2, month: 3), at: 2 * 3600),
                end: YearlyDate(.weekday(0, week: 1, month: 11), at: 2 * 3600)
            )
        )
    )
    static let honolulu = fixed(hours: -10)
    static let tokyo = fixed(hours: 9)

    static func fixed(hours: Int64) -> TimeZoneRules { TimeZoneRules(YearlyOffsets(standard: hours * 3600)) }

    private static func european(hours: Int64) -> TimeZoneRules {
        TimeZoneRules(
            YearlyOffsets(
                standard: hours * 3600,
                daylight: .init(
                    offset: (hours + 1) * 3600,
                    start: YearlyDate(.weekday(0, week: 5, month: 3), at: (hours + 1) * 3600),
                    end: YearlyDate(.weekday(0, week: 5, month: 10), at: (hours + 2) * 3600)
                )
            )
        )
    }
}

extension TimeZoneTable {
    static let samples = TimeZoneTable([
        .utc: .init(name: "UTC", rules: .utc),
        .named("Europe/Berlin"): .init(name: "Europe/Berlin", rules: .berlin),
    ])

    static func machine(_ rules: TimeZoneRules) -> TimeZoneTable {
        TimeZoneTable([.machine: .init(name: "local time", rules: rules)])
    }
}
