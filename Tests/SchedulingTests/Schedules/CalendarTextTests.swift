// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A calendar rule is parsed from its text and written in a normal form")
struct CalendarTextTests {
    private func rule(_ text: String) -> CalendarRule? { CalendarRule(text, zone: .utc) }

    @Test(arguments: [
        ("02:30", "02:30 UTC"), ("23:59", "23:59 UTC"), ("mon 02:30", "mon 02:30 UTC"),
        ("SAT,sun 02:30", "sun,sat 02:30 UTC"), ("mon-wed 02:30", "mon,tue,wed 02:30 UTC"),
        ("fri-mon 02:30", "sun,mon,fri,sat 02:30 UTC"), ("tue-tue 02:30", "tue 02:30 UTC"),
        ("15,1 02:30", "1,15 02:30 UTC"), ("30-2 00:00", "1,2,30,31 00:00 UTC"), ("31 00:00", "31 00:00 UTC"),
    ])
    func `a calendar rule is parsed from a time, with optional weekdays or days of the month`(
        _ text: String,
        _ written: String
    ) {
        #expect(rule(text)?.text(in: TimeZoneTable()) == written)
    }

    @Test(arguments: [
        "", "2:30", "02:3", "02", "02:30:00", "24:00", "02:60", "ab:cd", "+1:30", "mon sun 02:30", "noday 02:30",
        "32 02:30", "0 02:30", "1-32 02:30", "0-3 02:30", "1-2-3 02:30", "mon-tue-wed 02:30", ", 02:30", "1, 02:30",
        "mon- 02:30", "-mon 02:30", "mon,1 02:30", "1,mon 02:30",
    ])
    func `a text that is not a calendar rule is refused`(_ text: String) {
        #expect(rule(text) == nil)
    }

    @Test func `the text of an interval schedule is "every" and the interval with its unit`() {
        #expect(
            WorkSchedule.Rhythm.every(.seconds(90 * 60)).text(in: TimeZoneTable())
                == "every \(Duration.seconds(90 * 60).humanReadable)"
        )
    }
}
