// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A trace on the calendar of one replay, with all its random values drawn: the conditions and changes at each time.
struct UnfoldedTrace: Sendable {
    let period: Range<WallTime>
    let conditions: [Condition: ConditionSpans]
    let suspended: ConditionSpans
    /// The lock states of the plugins' containers. No container is ever locked.
    let containerLocks: [PluginIdentifier: Bool]
    /// The changes of the machine, ordered by time.
    let steps: [TraceStep]

    init(_ trace: ConditionTrace, over period: Range<WallTime>, seed: UInt64, plugins: [PluginIdentifier]) {
        self.period = period
        containerLocks = Dictionary(plugins.map { ($0, false) }) { first, _ in first }
        let calendar = TraceCalendar(period: period, jitter: trace.jitter, seed: seed)
        let active = calendar.spans(of: trace.use.active, named: "active")
        var conditions: [Condition: ConditionSpans] = [:]
        for condition in Condition.all {
            switch trace.course(of: condition) {
            case .always: conditions[condition] = ConditionSpans([period])
            case .never: conditions[condition] = ConditionSpans([])
            case .during(let spans): conditions[condition] = calendar.spans(of: spans, named: condition.name)
            case nil: conditions[condition] = active.gaps(in: period)
            }
        }
        self.conditions = conditions
        suspended = calendar.spans(of: trace.suspended, named: "suspended")
        let locks = containerLocks
        let changes = Self.changes(conditions, in: period) { Self.conditions(at: $0, in: conditions, locks) }
        let disturbances = changes + Self.suspensions(suspended)
        // Steps of one instant keep this order: conditions and suspensions, then user actions.
        steps = (disturbances + calendar.acts(of: trace.use, during: active)).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    var start: Conditions { conditions(at: period.lowerBound) }
    func conditions(at time: WallTime) -> Conditions { Self.conditions(at: time, in: conditions, containerLocks) }

    private static func conditions(
        at time: WallTime,
        in spans: [Condition: ConditionSpans],
        _ locks: [PluginIdentifier: Bool]
    ) -> Conditions {
        Conditions(Condition.all.filter { spans[$0]?.contains(time) ?? false }, containerLocks: locks)
    }

    private static func changes(
        _ spans: [Condition: ConditionSpans],
        in period: Range<WallTime>,
        to conditions: (WallTime) -> Conditions
    ) -> [TraceStep] {
        let ends = spans.values.flatMap(\.spans).flatMap { [$0.lowerBound, $0.upperBound] }
        return Set(ends).filter { period.contains($0) && $0 != period.lowerBound }.sorted().map {
            TraceStep(at: $0, change: .conditions(conditions($0)))
        }
    }

    private static func suspensions(_ suspended: ConditionSpans) -> [TraceStep] {
        suspended.spans.map { TraceStep(at: $0.lowerBound, change: .suspension(until: $0.upperBound)) }
    }
}
