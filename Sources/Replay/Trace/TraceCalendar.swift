// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Converts the weekly spans of a trace to the days of one replay. The first day is a Monday.
struct TraceCalendar {
    static let day: Duration = .seconds(24 * 60 * 60)

    let period: Range<WallTime>
    let jitter: Duration
    let seed: UInt64

    /// The weekly spans on the days of the replay, cut to the period of the replay. Each start and end, except a
    /// midnight, is shifted by a random part of the jitter.
    func spans(of weekSpans: [WeekSpan], named name: String) -> ConditionSpans {
        var chance = SeededGenerator(seed: seed, for: "trace \(name)")
        // A span of the day before may reach into the first day.
        let laid = weekSpans.flatMap { span in
            (-1..<days).filter { span.days.contains(($0 + 7) % 7) }.map { day in
                let midnight = period.lowerBound + Self.day * day
                let start = moved(midnight, span.startMinute, &chance)
                return start..<max(start, moved(midnight, span.endMinute, &chance))
            }
        }
        return ConditionSpans(laid).clamped(to: period)
    }

    /// User actions at random instants of `active`. Each day with an active span has as many actions of each kind as
    /// `use` states.
    func acts(of use: ConditionTrace.Use, during active: ConditionSpans) -> [TraceStep] {
        var chance = SeededGenerator(seed: seed, for: "trace use")
        let counts: [(TraceStep.Act, Int)] = [
            (.trigger, use.triggers), (.launch, use.launches), (.submitContinued, use.continued),
        ]
        return (0..<days).flatMap { day -> [TraceStep] in
            let midnight = period.lowerBound + Self.day * day
            let spans = active.clamped(to: midnight..<(midnight + Self.day)).spans
            if spans.isEmpty { return [] }
            return counts.flatMap { act, count in
                (0..<count).map { _ in TraceStep(at: instant(in: spans, &chance), change: .act(act)) }
            }
        }
    }

    private var days: Int {
        Int((period.upperBound - period.lowerBound).wholeNanoseconds / Self.day.wholeNanoseconds)
    }

    /// The instant `minute` minutes after `midnight`, shifted by random jitter. An instant at a midnight is not
    /// shifted, because it bounds a whole day.
    private func moved(_ midnight: WallTime, _ minute: Int, _ chance: inout SeededGenerator) -> WallTime {
        let time = midnight + .seconds(minute * 60)
        if jitter == .zero || minute % (24 * 60) == 0 { return time }
        return time + chance.duration(in: (.zero - jitter)...jitter)
    }

    private func instant(in spans: [Range<WallTime>], _ chance: inout SeededGenerator) -> WallTime {
        let total = spans.reduce(Duration.zero) { $0 + ($1.upperBound - $1.lowerBound) }
        var left = chance.duration(in: .zero...(total - .nanoseconds(1)))
        for span in spans {
            let length = span.upperBound - span.lowerBound
            if left < length { return span.lowerBound + left }
            left -= length
        }
        return spans[0].lowerBound
    }
}
