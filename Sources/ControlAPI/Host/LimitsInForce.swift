// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// How much work of a kind may be pending for one plugin. Not a limit on launches.
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
        case budget = "budget_ns"
    }
}

/// What the policies go by, and which of them are switched off.
package struct PoliciesInForce: Codable, Hashable, Sendable {
    package let off: [String]
    package let spread: Nanoseconds
    package let overrunSpacing: Nanoseconds
    package let longestSpacing: Nanoseconds
    package let dayBudget: Nanoseconds
    package let patience: Nanoseconds
    package let roomPatience: Nanoseconds

    package init(
        off: [String],
        spread: Duration,
        overrunSpacing: Duration,
        longestSpacing: Duration,
        dayBudget: Duration,
        patience: Duration,
        roomPatience: Duration
    ) {
        self.off = off
        self.spread = Nanoseconds(spread)
        self.overrunSpacing = Nanoseconds(overrunSpacing)
        self.longestSpacing = Nanoseconds(longestSpacing)
        self.dayBudget = Nanoseconds(dayBudget)
        self.patience = Nanoseconds(patience)
        self.roomPatience = Nanoseconds(roomPatience)
    }

    private enum CodingKeys: String, CodingKey {
        case off
        case spread = "stagger_ns"
        case overrunSpacing = "overrun_spacing_ns"
        case longestSpacing = "longest_spacing_ns"
        case dayBudget = "day_budget_ns"
        case patience = "maximum_deferral_ns"
        case roomPatience = "maximum_capacity_wait_ns"
    }
}

/// What ends continued tasks, and paces legacy fetch.
package struct ContinuedRule: Codable, Hashable, Sendable {
    /// Without progress for so long it is expired.
    package let stallLimit: Nanoseconds
    /// Between two that memory pressure ends.
    package let pressureInterval: Nanoseconds

    package init(stallLimit: Duration, pressureInterval: Duration) {
        self.stallLimit = Nanoseconds(stallLimit)
        self.pressureInterval = Nanoseconds(pressureInterval)
    }

    private enum CodingKeys: String, CodingKey {
        case stallLimit = "stall_limit_ns"
        case pressureInterval = "pressure_interval_ns"
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

/// What follows when something did not work: for tasks that were interrupted, and for the host's own part.
package struct RetryRule: Codable, Hashable, Sendable {
    /// After the first charged attempt; it doubles with each further one.
    package let delay: Nanoseconds
    /// Charged attempts after which a task is abandoned.
    package let attempts: Int
    /// Before the host asks again for a runner or a commit that it could not have.
    package let hostDelay: Nanoseconds

    package init(delay: Duration, attempts: Int, hostDelay: Duration) {
        self.delay = Nanoseconds(delay)
        self.attempts = attempts
        self.hostDelay = Nanoseconds(hostDelay)
    }

    private enum CodingKeys: String, CodingKey {
        case attempts
        case delay = "delay_ns"
        case hostDelay = "host_delay_ns"
    }
}

/// How long what nobody needs any more is kept.
package struct Retention: Codable, Hashable, Sendable {
    /// Requests of a plugin that was removed.
    package let removedPlugin: Nanoseconds
    /// The journal and ended launches.
    package let journal: Nanoseconds
    /// How long the wall clock must have said that a time is over, or the host have run, before anything goes.
    package let doubt: Nanoseconds

    package init(removedPlugin: Duration, journal: Duration, doubt: Duration) {
        self.removedPlugin = Nanoseconds(removedPlugin)
        self.journal = Nanoseconds(journal)
        self.doubt = Nanoseconds(doubt)
    }

    private enum CodingKeys: String, CodingKey {
        case removedPlugin = "removed_plugin_ns"
        case journal = "journal_ns"
        case doubt = "doubt_ns"
    }
}
