// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@Suite("Arithmetic on wall time, monotonic time and durations is clamped instead of trapping")
struct TimeTests {
    @Test func `a time plus a duration is a time, and the difference of two times is a duration`() {
        let time = WallTime(nanoseconds: 1_000)
        #expect(time + .nanoseconds(500) == WallTime(nanoseconds: 1_500))
        #expect((time + .seconds(2)) - time == .seconds(2))
        let instant = MonotonicTime(nanoseconds: 7)
        #expect((instant + .milliseconds(3)) - instant == .milliseconds(3))
        #expect(instant - (instant + .seconds(1)) == .seconds(-1))
    }

    @Test(.proves("C10")) func `times beyond 64 bits of nanoseconds are clamped instead of trapping`() {
        #expect(WallTime(nanoseconds: .max) + .seconds(1) == WallTime(nanoseconds: .max))
        #expect(WallTime(nanoseconds: .min + 1) + .seconds(-1) == WallTime(nanoseconds: .min + 1))
        #expect(WallTime(nanoseconds: .max) - WallTime(nanoseconds: -1) == .nanoseconds(Int64.max))
        #expect(MonotonicTime(nanoseconds: 0) + .seconds(Int64.max) == MonotonicTime(nanoseconds: .max))
    }

    @Test func `a duration is clamped to 292 years in both directions`() {
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min + 1)
        #expect(Duration.nanoseconds(-1_500_000_000).wholeNanoseconds == -1_500_000_000)
        #expect((Duration.nanoseconds(1) + .init(secondsComponent: 0, attosecondsComponent: 999)).wholeNanoseconds == 1)
    }

    @Test(.proves("C6")) func `a launch budget ends at its deadline, and its kill time is one grace period later`() {
        let start = MonotonicTime(nanoseconds: 1_000)
        let budget = LaunchBudget(
            total: .seconds(30),
            gracePeriod: .seconds(5),
            entryLimit: .seconds(7),
            startingAt: start
        )
        #expect(budget.deadline == start + .seconds(30))
        #expect(budget.killTime == start + .seconds(35))
        #expect(budget.remaining(at: start + .seconds(10)) == .seconds(20))
        #expect(budget.remaining(at: start + .seconds(31)) == .zero)
        #expect(budget.used(at: start + .seconds(31)) == .seconds(31))
        #expect(budget.used(at: MonotonicTime(nanoseconds: 0)) == .zero)
    }

    @Test func `the deadline of entry is the deadline of the budget, or the entry limit if the launch has no budget`() {
        let (start, later) = (MonotonicTime(nanoseconds: 1_000), MonotonicTime(nanoseconds: 9_000))
        let limited = LaunchBudget(
            total: .seconds(30),
            gracePeriod: .seconds(5),
            entryLimit: .seconds(7),
            startingAt: start
        )
        let open = LaunchBudget(total: nil, gracePeriod: .seconds(5), entryLimit: .seconds(7), startingAt: start)
        #expect(limited.entryDeadline == start + .seconds(30) && open.entryDeadline == start + .seconds(7))
        #expect(limited.starting(at: later).entryDeadline == later + .seconds(30))
        #expect(open.starting(at: later).entryDeadline == later + .seconds(7))
    }
}
