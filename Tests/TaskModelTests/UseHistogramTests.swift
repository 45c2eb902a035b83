// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("The uses of a plugin are counted by hour of the week, and lose weight each week")
struct UseHistogramTests {
    /// Monday, 2025-12-29, 0:00.
    private static let monday: Int64 = 2_922 * UseHistogram.hoursPerWeek
    private static let week = UseHistogram.hoursPerWeek

    private func uses(_ hours: Int64...) -> UseHistogram {
        var uses = UseHistogram(firstUse: hours[0])
        for hour in hours.dropFirst() { _ = uses.note(hour) }
        return uses
    }

    @Test func `hours of local time are counted from Monday 0:00`() {
        // Thursday, 1970-01-01, 0:00 and the second before.
        #expect(UseHistogram.hour(ofLocal: 0) == 72)
        #expect(UseHistogram.hour(ofLocal: -1) == 71)
        #expect(UseHistogram.localStart(ofHour: 72) == 0)
        // Monday, 2026-01-05, 0:00.
        #expect(UseHistogram.hour(ofLocal: 1_767_571_200) % Self.week == 0)
    }

    @Test func `after one use none is expected; after a second one in the next week, a weekly use is expected`() {
        let nine = Self.monday + 9
        #expect(uses(nine).nextExpectedHour(from: nine + 1) == nil)
        let habit = uses(nine, nine + Self.week)
        #expect(habit.nextExpectedHour(from: nine + Self.week + 1) == nine + 2 * Self.week)
        #expect(habit.nextExpectedHour(from: nine + Self.week) == nine + Self.week)
    }

    @Test func `several uses within one hour count once`() {
        var uses = uses(Self.monday)
        let once = uses
        let isChanged = uses.note(Self.monday)
        #expect(!isChanged)
        #expect(uses == once)
    }

    @Test func `uses in different hours of the week are expected separately, the next one first`() {
        let (monday, friday) = (Self.monday + 8, Self.monday + 4 * 24 + 17)
        let habit = uses(monday, friday, monday + Self.week, friday + Self.week)
        let next = Self.monday + 2 * Self.week
        #expect(habit.nextExpectedHour(from: next) == next + 8)
        #expect(habit.nextExpectedHour(from: next + 9) == next + 4 * 24 + 17)
    }

    @Test func `a weekly use is expected for four weeks after the last one, however long it lasted`() {
        var uses = UseHistogram(firstUse: Self.monday)
        for week in 1..<100 { _ = uses.note(Self.monday + Int64(week) * Self.week) }
        let last = Self.monday + 99 * Self.week
        for week: Int64 in 1...4 {
            #expect(uses.nextExpectedHour(from: last + week * Self.week) == last + week * Self.week)
        }
        #expect(uses.nextExpectedHour(from: last + 5 * Self.week) == nil)
        #expect(uses.hoursSinceUse(at: last + 5 * Self.week) == 5 * Self.week)
    }

    @Test func `after a step back of the clock a histogram counts on from the earlier time`() {
        var uses = uses(Self.monday + 100 * Self.week)
        #expect(uses.hoursSinceUse(at: Self.monday) == 0)
        let isChanged = uses.note(Self.monday)
        #expect(isChanged)
        #expect(uses.newest == Self.monday && uses.weights.count == Int(Self.week))
        #expect(uses.hoursSinceUse(at: Self.monday + 5) == 5)
    }

    @Test func `a recorded histogram of another size or with an impossible hour is refused`() {
        let uses = uses(Self.monday)
        #expect(UseHistogram(weights: uses.weights, newest: uses.newest) == uses)
        #expect(UseHistogram(weights: [1, 2], newest: 0) == nil)
        #expect(UseHistogram(weights: uses.weights, newest: .max) == nil)
    }
}
