// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A trace on the calendar of one replay, with its chances drawn.
struct UnfoldedTrace: Sendable {
    let period: Range<WallTime>
    let conditions: [Condition: ConditionSpans]
    let suspended: ConditionSpans
    /// In order.
    let steps: [TraceStep]

    init(_ trace: ConditionTrace, over period: Range<WallTime>, seed: UInt64) {
        self.period = period
        let calendar = TraceCalendar(period: period, jitter: trace.jitter, seed: seed)
        let active = calendar.spans(of: trace.use.active, named: "active")
        var conditions: [Condition: ConditionSpans] = [:]
        for condition in Condition.allCases {
            switch trace.course(of: condition) {
            case .always: conditions[condition] = ConditionSpans([period])
            case .never: conditions[condition] = ConditionSpans([])
            case .during(let spans): conditions[condition] = calendar.spans(of: spans, named: condition.rawValue)
            case nil: conditions[condition] = condition == .idle ? active.gaps(in: period) : ConditionSpans([])
            }
        }
        self.conditions = conditions
        suspended = calendar.spans(of: trace.suspended, named: "suspended")
        let changes = Self.changes(conditions, in: period) + Self.suspensions(suspended)
        // Those of one instant keep this order: first what the machine is like, then what people do.
        steps = (changes + calendar.acts(of: trace.use, during: active)).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    var start: Conditions { Self.conditions(at: period.lowerBound, in: conditions) }
    func conditions(at time: WallTime) -> Conditions { Self.conditions(at: time, in: conditions) }

    private static func conditions(at time: WallTime, in spans: [Condition: ConditionSpans]) -> Conditions {
        func holds(_ condition: Condition) -> Bool { spans[condition]?.contains(time) ?? false }
        return Conditions(
            isOnExternalPower: holds(.externalPower),
            hasNetwork: holds(.network),
            isIdle: holds(.idle),
            isLoadHigh: holds(.highLoad),
            isMemoryLow: holds(.lowMemory),
            isHot: holds(.hot)
        )
    }

    private static func changes(_ spans: [Condition: ConditionSpans], in period: Range<WallTime>) -> [TraceStep] {
        let ends = spans.values.flatMap(\.spans).flatMap { [$0.lowerBound, $0.upperBound] }
        return Set(ends).filter { period.contains($0) && $0 != period.lowerBound }.sorted().map {
            TraceStep(at: $0, change: .conditions(conditions(at: $0, in: spans)))
        }
    }

    private static func suspensions(_ suspended: ConditionSpans) -> [TraceStep] {
        suspended.spans.map { TraceStep(at: $0.lowerBound, change: .suspension(until: $0.upperBound)) }
    }
}
