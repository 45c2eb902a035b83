// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The conditions of a machine during a week, and the actions of its users. A trace is independent of plugins and
/// policies.
package struct ConditionTrace: Hashable, Sendable {
    /// The times at which a condition holds.
    package enum Course: Hashable, Sendable {
        case always
        case never
        /// The condition holds only during these spans.
        case during([WeekSpan])
    }

    /// The activity of users: the spans in which a user is active, and the number of user actions of each kind on a day
    /// with such a span.
    package struct Use: Hashable, Sendable {
        package var active: [WeekSpan] = []
        package var triggers = 0
        package var launches = 0
        package var continued = 0

        package init() {}
    }

    package var name = "a trace"
    /// Maximum random shift of the start and the end of each span, so that the days of a replay differ. Midnights are
    /// not shifted.
    package var jitter: Duration = .zero
    package var courses: [Condition: Course] = [:]
    /// Times at which the machine is suspended. Meanwhile budgets do not run, the wall clock advances, and no user
    /// action takes place.
    package var suspended: [WeekSpan] = []
    package var use = Use()

    package init() {}

    /// The times at which a condition holds: its entry in `courses`, otherwise the default in its `Condition.Row`. Nil
    /// when by default the condition holds while no user is active.
    func course(of condition: Condition) -> Course? {
        if let course = courses[condition] { return course }
        return switch condition.row.replay {
        case .always: .always
        case .never, .untraced: .never
        case .whileUnused: nil
        }
    }
}
