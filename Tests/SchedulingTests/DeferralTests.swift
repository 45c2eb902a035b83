// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("One deferral period represents every request that was due in it")
struct DeferralTests {
    private func at(_ seconds: Int64) -> WallTime { WallTime(nanoseconds: seconds * 1_000_000_000) }

    @Test(.proves("C12")) func `a second end of a deferral period has no effect`() {
        var deferral = Deferral()
        deferral.end(at: at(1))
        #expect(deferral.periods.isEmpty)
        deferral.begin(at: at(2), newestDue: at(1))
        deferral.end(at: at(5))
        deferral.end(at: at(6))
        #expect(deferral.periods == [DeferralPeriod(since: at(2), until: at(5))])
    }

    @Test(.proves("C12")) func `a deferral period that ends in the instant of its start is dropped`() {
        var deferral = Deferral()
        deferral.begin(at: at(2), newestDue: at(1))
        deferral.end(at: at(2))
        #expect(deferral.isEmpty && deferral.start(for: at(1)) == nil)
    }

    @Test(.proves("C12"))
    func `a request due in a deferral period is deferred from its due time, any other from the next period's start`() {
        var deferral = Deferral()
        deferral.begin(at: at(10), newestDue: at(10))
        deferral.end(at: at(20))
        deferral.begin(at: at(30), newestDue: at(25))
        #expect(deferral.start(for: at(5)) == at(10))
        #expect(deferral.start(for: at(15)) == at(15))
        #expect(deferral.start(for: at(19)) == at(19))
        #expect(deferral.start(for: at(20)) == at(30))
        #expect(deferral.start(for: at(40)) == at(40))
        deferral.end(at: at(50))
        #expect(deferral.start(for: at(50)) == nil)
    }

    @Test(.proves("C12")) func `an ended deferral period continues if no request became due since its end`() {
        var deferral = Deferral()
        deferral.begin(at: at(10), newestDue: at(10))
        deferral.end(at: at(20))
        deferral.begin(at: at(30), newestDue: at(19))
        #expect(deferral.periods == [DeferralPeriod(since: at(10))])
        deferral.end(at: at(40))
        deferral.begin(at: at(50), newestDue: at(40))
        #expect(deferral.periods == [DeferralPeriod(since: at(10), until: at(40)), DeferralPeriod(since: at(50))])
    }

    @Test(.proves("C12")) func `the oldest two of more than sixteen deferral periods are merged`() {
        var deferral = Deferral()
        for number in 1...17 {
            let begin = Int64(number) * 100
            deferral.begin(at: at(begin), newestDue: at(begin))
            deferral.end(at: at(begin + 50))
            #expect(deferral.periods.count == min(number, 16))
        }
        #expect(deferral.periods[0] == DeferralPeriod(since: at(100), until: at(250)))
        #expect(deferral.periods[1] == DeferralPeriod(since: at(300), until: at(350)))
    }

    @Test(.proves("C12"))
    func `after a step back of the clock no deferral period begins or ends later than the new time`() {
        var deferral = Deferral()
        deferral.begin(at: at(10), newestDue: at(10))
        deferral.end(at: at(40))
        deferral.begin(at: at(50), newestDue: at(45))
        deferral.reckonAnew(at: at(20))
        #expect(deferral.periods == [DeferralPeriod(since: at(10), until: at(20)), DeferralPeriod(since: at(20))])
    }

    @Test(.proves("C12"))
    func `a request that became due before the end of a deferral period keeps its deferral after the clock steps back`()
        throws
    {
        let periods = [DeferralPeriod(since: at(30), until: at(40)), DeferralPeriod(since: at(50), until: at(60))]
        let old = Deferral(periods: periods)
        var new = old
        new.reckonAnew(at: at(20))
        for due in [10, 35, 45, 55] as [Int64] {
            let start = try #require(new.start(for: old.reckonAnew(due: at(due), at: at(20))))
            #expect(start < at(20) && at(20) - start == .nanoseconds(1))
        }
        for due in [60, 70] as [Int64] {
            let moved = old.reckonAnew(due: at(due), at: at(20))
            #expect(moved == at(20) && new.start(for: moved) == nil)
        }
    }

    @Test(.proves("C12")) func `deferral periods need a write after a change and again after a failed commit`() {
        var deferral = Deferral()
        #expect(!deferral.isChanged && deferral.isEmpty)
        deferral.begin(at: at(1), newestDue: at(1))
        #expect(deferral.isChanged && !deferral.isEmpty)
        deferral.wasWritten()
        #expect(!deferral.isChanged)
        deferral.wasNotWritten()
        #expect(deferral.isChanged)
        #expect(!Deferral(periods: [DeferralPeriod(since: at(1))]).isChanged)
    }
}
