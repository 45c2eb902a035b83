// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// What a machine is like through a week, and what people do at it. The same for every plugin and every policy.
package struct ConditionTrace: Hashable, Sendable {
    /// When a condition holds.
    package enum Course: Hashable, Sendable {
        case always
        case never
        /// During these, and not otherwise.
        case during([WeekSpan])
    }

    /// How often people do something on a day on which they are there at all.
    package struct Use: Hashable, Sendable {
        package var active: [WeekSpan] = []
        package var triggers = 0
        package var launches = 0
        package var continued = 0

        package init() {}
    }

    package var name = "a trace"
    /// How far each begin and end is moved about, so that no two days are the same.
    package var jitter: Duration = .zero
    package var courses: [Condition: Course] = [:]
    /// When the machine sleeps: budgets stand still, calendar time goes on, and nothing happens.
    package var suspended: [WeekSpan] = []
    package var use = Use()

    package init() {}

    /// Nil: while no user is active.
    func course(of condition: Condition) -> Course? {
        if let course = courses[condition] { return course }
        return switch condition.row.replay {
        case .always: .always
        case .never, .untraced: .never
        case .whileUnused: nil
        }
    }
}
