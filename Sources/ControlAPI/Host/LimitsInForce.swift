// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// How much work of a kind may be pending for one main plugin. Not a limit on launches.
package struct KindLimit: Codable, Hashable, Sendable {
    package let kind: String
    package let limit: Int
    /// Nil where the limit is the host's and nobody's in particular.
    package let used: Int?

    package init(_ kind: TaskKind, limit: Int, used: Int? = nil) {
        self.kind = kind.name
        self.limit = limit
        self.used = used
    }
}

/// How long a launch may take when a task of the kind is in its batch.
package struct KindBudget: Codable, Hashable, Sendable {
    package let kind: String
    package let budget: Nanoseconds

    package init(_ kind: TaskKind, budget: Duration) {
        self.kind = kind.name
        self.budget = Nanoseconds(budget)
    }

    private enum CodingKeys: String, CodingKey {
        case kind
        case budget = "budget-ns"
    }
}

/// How many launches of a lane the whole host runs at once.
package struct LaneLimit: Codable, Hashable, Sendable {
    package let lane: String
    package let limit: Int
    package let running: Int

    package init(_ lane: Lane, limit: Int, running: Int) {
        self.lane = lane.name
        self.limit = limit
        self.running = running
    }
}
