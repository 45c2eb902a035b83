// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A sum over a sliding window is accurate to one slot of time and bounded in size")
struct SlidingSumTests {
    private let start = ManualClock().now.wall

    @Test(.proves("C7"))
    func `a value added at the beginning of a slot leaves a sliding sum exactly at the end of the window`() {
        var sum = SlidingSum(slot: .minutes(15), window: .hours(24))
        sum.add(10, at: start)
        #expect(sum.total(at: start + .hours(24) - .nanoseconds(1)) == 10)
        #expect(sum.total(at: start + .hours(24)) == 0)
    }

    @Test(.proves("C7")) func `a sliding sum computes the time at which it falls below a limit`() {
        var sum = SlidingSum(slot: .minutes(15), window: .hours(24))
        for hour in 0..<4 { sum.add(Duration.hours(1).wholeNanoseconds, at: start + .hours(hour)) }
        let now = start + .hours(5)
        #expect(sum.end(of: .hours(4), at: now) == start + .hours(24))
        #expect(sum.end(of: .hours(2), at: now) == start + .hours(26))
        #expect(sum.end(of: .hours(5), at: now) == nil)
        #expect(sum.end(of: .hours(4), at: start + .hours(24)) == nil)
    }

    @Test(.proves("C7"))
    func `a value in the future does not count in a sliding sum, and the next addition removes it`() {
        var sum = SlidingSum(slot: .minutes(15), window: .hours(24))
        sum.add(10, at: start)
        #expect(sum.total(at: start - .hours(2)) == 0)
        #expect(sum.total(at: start) == 10)
        sum.add(1, at: start - .hours(2))
        #expect(sum.total(at: start) == 1)
    }

    @Test(.proves("C7")) func `a sliding sum of ten thousand values keeps one amount per slot of its window`() {
        var sum = SlidingSum(slot: .minutes(15), window: .hours(24))
        for number in 0..<10_000 { sum.add(1, at: start + .seconds(number * 18)) }
        #expect(sum.slotCount == 24 * 4)
        // One value in 18 seconds is 50 per slot. The last slot is not full.
        let last = start + .seconds(9_999 * 18)
        let inLastSlot = Int64(1 + last.nanoseconds % Duration.minutes(15).wholeNanoseconds / 18_000_000_000)
        #expect(sum.total(at: last) == 95 * 50 + inLastSlot)
    }

    // MARK: The record of a plugin

    private func past(
        _ outcome: LaunchOutcome,
        lane: Lane = .background,
        cause: LaunchCause = .due,
        used: Duration = .minutes(1)
    ) -> PastLaunch {
        PastLaunch(plugin: .app, lane: lane, cause: cause, outcome: outcome, endedAt: start, used: used)
    }

    @Test(.proves("C7")) func `only background launches use up the day budget, and only their overruns are counted`() {
        var record = PluginRecord()
        record.note(past(.overran))
        record.note(past(.overran, lane: .event))
        record.note(past(.completed, lane: .continued, used: .hours(3)))
        #expect(record.overruns == 1)
        #expect(record.dayUse.total(at: start) == Duration.minutes(1).wholeNanoseconds)
    }

    @Test(.proves("C7")) func `one completed launch ends a row of overruns`() {
        var record = PluginRecord()
        for _ in 1...3 { record.note(past(.overran)) }
        #expect(record.overruns == 3)
        record.note(past(.completed))
        #expect(record.overruns == 0)
    }

    @Test(.proves("C7"), arguments: [LaunchOutcome.lost, .interrupted])
    func `a launch lost or interrupted by the host neither extends nor ends a row of overruns`(_ outcome: LaunchOutcome)
    {
        var record = PluginRecord()
        record.note(past(.overran))
        record.note(past(outcome))
        #expect(record.overruns == 1)
        record.note(past(.overran))
        #expect(record.overruns == 2)
    }

    @Test(.proves(69)) func `a background launch and a continued launch count as uses if a user caused them`() {
        var record = PluginRecord()
        record.note(past(.completed, cause: .user))
        record.note(past(.completed, lane: .continued, cause: .user))
        record.note(past(.completed))
        #expect(record.uses.total(at: start) == 2)
    }

    @Test(.proves("C13"))
    func `the computed time at which a sliding sum falls below a limit takes future values into account`() {
        var sum = SlidingSum(slot: .minutes(15), window: .hours(24))
        let begin = WallTime(nanoseconds: 0) + .days(1)
        sum.add(Duration.minutes(30).wholeNanoseconds, at: begin)
        sum.add(Duration.minutes(30).wholeNanoseconds, at: begin + .hours(10))
        #expect(sum.end(of: .minutes(20), at: begin + .hours(2)) == begin + .hours(34))
        #expect(sum.end(of: .minutes(40), at: begin + .hours(2)) == nil)
        #expect(sum.end(of: .minutes(40), at: begin + .hours(11)) == begin + .hours(24))
    }
}
