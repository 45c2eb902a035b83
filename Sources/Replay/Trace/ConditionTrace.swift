// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The conditions of a machine through a week, and the actions of its users. Independent of plugins and policies.
package struct ConditionTrace: Hashable, Sendable {
    /// The times at which a condition holds.
    package enum Course: Hashable, Sendable {
        case always
        case never
        /// Only during these spans.
        case during([WeekSpan])
    }

    /// Number of user actions of each sort on a day that has an active span.
    package struct Use: Hashable, Sendable {
        package var active: [WeekSpan] = []
        package var triggers = 0
        package var launches = 0
        package var continued = 0

        package init() {}
    }

    package var name = "a trace"
    /// The longest random shift of each start and end, so that days differ.
    package var jitter: Duration = .zero
    package var courses: [Condition: Course] = [:]
    /// Times at which the machine is suspended: budgets stop, the wall clock advances, no action takes place.
    package var suspended: [WeekSpan] = []
    package var use = Use()

    package init() {}

    /// The times at which a condition holds, by default those of its row; nil when it holds while no user is active.
    func course(of condition: Condition) -> Course? {
        if let course = courses[condition] { return course }
        return switch condition.row.replay {
        case .always: .always
        case .never, .untraced: .never
        case .whileUnused: nil
        }
    }
}
