// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import PluginTrial
import Testing

@testable import PluginConformance

@Suite("One defect fails one check: checks that need a failed one are skipped")
struct ConformanceScheduleTests {
    private func check(_ name: String, level: Int = 1, needs: [String] = []) -> ConformanceCheck {
        ConformanceCheck(name, level: level, rule: .manifest, "it holds", remedy: "mend it", needs: needs) { _, _ in []
        }
    }

    private func chain() -> ConformanceSchedule {
        ConformanceSchedule([check("a"), check("b", needs: ["a"]), check("c", needs: ["b"])], level: 1)
    }

    @Test func `a conformance check is due after the check that it needs has passed or warned`() {
        var schedule = chain()
        #expect(schedule.next().due.map(\.name) == ["a"])
        #expect(schedule.next().due.isEmpty && !schedule.isDone)
        schedule.add(check("a").result(of: []))
        #expect(schedule.next().due.map(\.name) == ["b"])
        schedule.add(check("b").result(of: [ConformanceFlaw(.remark, "a surprise")]))
        #expect(schedule.next().due.map(\.name) == ["c"])
        #expect(schedule.isDone)
    }

    @Test func `a failed conformance check skips the checks that need it, directly or not`() {
        var schedule = chain()
        _ = schedule.next()
        schedule.add(check("a").result(of: [ConformanceFlaw(.crash, "it crashed")]))
        let skipped = schedule.next().skipped
        #expect(skipped.map(\.check) == ["b", "c"] && skipped.map(\.outcome) == [.skip, .skip])
        #expect(skipped.map(\.reason) == ["the check a did not pass", "the check b did not pass"])
        #expect(schedule.isDone)
    }

    @Test func `an inapplicable or excluded conformance check does not skip the check that needs it`() {
        var schedule = chain()
        _ = schedule.next()
        schedule.add(check("a").result(.skip, reason: "no extension", isInapplicable: true))
        #expect(schedule.next().due.map(\.name) == ["b"])

        var excluding = ConformanceSchedule([check("a"), check("b", needs: ["a"])], level: 1) { name in
            name == "a" ? "known" : nil
        }
        #expect(excluding.leftOut.map(\.reason) == ["known"])
        #expect(excluding.next().due.map(\.name) == ["b"])
    }

    @Test func `a conformance check above the chosen level is left out`() {
        var schedule = ConformanceSchedule([check("a"), check("b", level: 2)], level: 1)
        #expect(schedule.next().due.map(\.name) == ["a"])
        #expect(schedule.isDone)
    }

    @Test
    func `the gravest flaw decides the outcome of a conformance check, and flaws with the same text are listed once`() {
        let flaws: [(ConformanceFlaw.Kind, TrialResult.Outcome)] = [
            (.remark, .warn), (.time, .timeout), (.leak, .leak), (.fault, .fail), (.exit, .exitedEarly),
            (.crash, .crash),
        ]
        for (index, expected) in flaws.enumerated() {
            let result = check("a").result(of: flaws[...index].map { ConformanceFlaw($0.0, "seen") })
            #expect(result.outcome == expected.1 && result.seen == ["seen"] && result.remedy == "mend it")
        }
        #expect(check("a").result(of: []).outcome == .pass)
    }

    @Test func `each conformance check has a unique name and needs only earlier checks of its level or below`() {
        var levels: [String: Int] = [:]
        for check in ConformanceCheck.all {
            for needed in check.needs {
                #expect(levels[needed].map { $0 <= check.level } == true, "\(check.name) needs \(needed)")
            }
            #expect(levels.updateValue(check.level, forKey: check.name) == nil, "\(check.name)")
        }
        #expect(Set(PluginCheck.allCases.map(\.rawValue)).isDisjoint(with: levels.keys))
    }
}
