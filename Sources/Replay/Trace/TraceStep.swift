// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A change of the simulated machine at an instant. The instant does not depend on the host's decisions.
struct TraceStep: Hashable, Sendable {
    enum Act: Hashable, Sendable {
        case trigger
        case launch
        case submitContinued
    }

    enum Change: Hashable, Sendable {
        case conditions(Conditions)
        case suspension(until: WallTime)
        case act(Act)
    }

    let at: WallTime
    let change: Change
}

/// The times at which a condition holds in one replay, as disjoint spans in order.
struct ConditionSpans: Hashable, Sendable {
    private(set) var spans: [Range<WallTime>] = []

    init(_ unordered: [Range<WallTime>]) {
        for span in unordered.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = spans.last, span.lowerBound <= last.upperBound {
                spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            } else if !span.isEmpty {
                spans.append(span)
            }
        }
    }

    func contains(_ time: WallTime) -> Bool { spans.contains { $0.contains(time) } }

    /// The parts of `range` that lie outside of these spans.
    func gaps(in range: Range<WallTime>) -> ConditionSpans {
        var start = range.lowerBound
        var gaps: [Range<WallTime>] = []
        for span in clamped(to: range).spans {
            gaps.append(start..<span.lowerBound)
            start = span.upperBound
        }
        gaps.append(start..<range.upperBound)
        return ConditionSpans(gaps)
    }

    /// The parts of `span` that lie outside of these spans, without empty parts.
    func parts(of span: Range<WallTime>) -> [Range<WallTime>] { gaps(in: span).spans.filter { !$0.isEmpty } }

    func clamped(to range: Range<WallTime>) -> ConditionSpans { ConditionSpans(spans.map { $0.clamped(to: range) }) }
}
