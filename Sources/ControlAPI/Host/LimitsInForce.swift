// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The maximum number of pending requests of a kind, or of waiting events, for one plugin. It does not limit launches.
package struct KindLimit: Codable, Hashable, Sendable {
    package let kind: String
    package let limit: Int
    /// Number of pending requests or waiting events of the plugin; nil in the host's limits, which belong to no plugin.
    package let used: Int?

    package init(_ kind: TaskKind, limit: Int, used: Int? = nil) {
        self.kind = kind.name
        self.limit = limit
        self.used = used
    }
}

/// The budget of a launch whose tasks have this kind. A launch with tasks of several kinds has the largest of their
/// budgets.
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

/// The settings of the policies, and the names of the policies that are switched off.
package struct PoliciesInForce: Codable, Hashable, Sendable {
    package let off: [String]
    package let stagger: Nanoseconds
    package let refreshSpacing: Nanoseconds
    package let pushSpacing: Nanoseconds
    package let overrunSpacing: Nanoseconds
    package let longestSpacing: Nanoseconds
    /// Whether the host learns the hours in which users use a plugin.
    package let learnsUse: Bool
    package let dayBudget: Nanoseconds
    package let maximumDeferral: Nanoseconds
    package let maximumCapacityWait: Nanoseconds

    package init(
        off: [String],
        stagger: Duration,
        refreshSpacing: Duration,
        pushSpacing: Duration,
        overrunSpacing: Duration,
        longestSpacing: Duration,
        learnsUse: Bool,
        dayBudget: Duration,
        maximumDeferral: Duration,
        maximumCapacityWait: Duration
    ) {
        self.off = off
        self.stagger = Nanoseconds(stagger)
        self.refreshSpacing = Nanoseconds(refreshSpacing)
        self.pushSpacing = Nanoseconds(pushSpacing)
        self.overrunSpacing = Nanoseconds(overrunSpacing)
        self.longestSpacing = Nanoseconds(longestSpacing)
        self.learnsUse = learnsUse
        self.dayBudget = Nanoseconds(dayBudget)
        self.maximumDeferral = Nanoseconds(maximumDeferral)
        self.maximumCapacityWait = Nanoseconds(maximumCapacityWait)
    }

    private enum CodingKeys: String, CodingKey {
        case off
        case stagger = "stagger_ns"
        case refreshSpacing = "refresh_spacing_ns"
        case pushSpacing = "push_spacing_ns"
        case overrunSpacing = "overrun_spacing_ns"
        case longestSpacing = "longest_spacing_ns"
        case learnsUse = "learn_use"
        case dayBudget = "day_budget_ns"
        case maximumDeferral = "maximum_deferral_ns"
        case maximumCapacityWait = "maximum_capacity_wait_ns"
    }
}

/// The times after which the host expires continued tasks.
package struct ContinuedRule: Codable, Hashable, Sendable {
    /// Maximum time of a continued task without progress.
    package let stallLimit: Nanoseconds
    /// Time between two expirations of continued tasks under memory pressure.
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

/// The maximum number of concurrent launches of the host in a lane, and the numbers of launches that run and stop now.
package struct LaneLimit: Codable, Hashable, Sendable {
    package let lane: String
    package let limit: Int
    /// Number of launches with an unfinished task or an open assertion.
    package let running: Int
    /// Number of launches whose tasks and assertions have ended, and whose process still exists. Only the part of this
    /// number above `limit` uses capacity of the lane.
    package let stopping: Int

    package init(_ lane: Lane, limit: Int, running: Int, stopping: Int) {
        self.lane = lane.name
        self.limit = limit
        self.running = running
        self.stopping = stopping
    }
}

/// The delays of retries: of interrupted tasks, and of runners and commits that have failed.
package struct RetryRule: Codable, Hashable, Sendable {
    /// Delay after the first charged attempt; it doubles with each further charged attempt.
    package let delay: Nanoseconds
    /// Number of charged attempts after which a task is abandoned.
    package let attempts: Int
    /// Delay before the host requests a runner or a commit again after a failure. For a runner it doubles with each
    /// further failure, up to 5 minutes.
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

/// The times for which old data is kept.
package struct Retention: Codable, Hashable, Sendable {
    /// Retention of the requests of a removed plugin.
    package let removedPlugin: Nanoseconds
    /// Retention of journal entries and ended launches.
    package let journal: Nanoseconds
    /// Maximum size of the journal, in bytes.
    package let journalBytes: Int64
    /// Extra time before old data is deleted, because the wall clock may be wrong. For requests of removed plugins it
    /// begins when their retention ends, for the journal when the host starts.
    package let doubt: Nanoseconds

    package init(removedPlugin: Duration, journal: Duration, journalBytes: Int64, doubt: Duration) {
        self.removedPlugin = Nanoseconds(removedPlugin)
        self.journal = Nanoseconds(journal)
        self.journalBytes = journalBytes
        self.doubt = Nanoseconds(doubt)
    }

    private enum CodingKeys: String, CodingKey {
        case removedPlugin = "removed_plugin_ns"
        case journal = "journal_ns"
        case journalBytes = "journal_bytes"
        case doubt = "doubt_ns"
    }
}

/// The limits of the logs of launches.
package struct LogsInForce: Codable, Hashable, Sendable {
    /// Maximum size of the log of one launch, in bytes.
    package let launch: Int64
    /// Maximum size of the logs of one plugin, in bytes.
    package let plugin: Int64
    /// Maximum size of all logs, in bytes; with 0 no logs are kept.
    package let total: Int64
    /// Time for which a log is kept after its last line.
    package let retention: Nanoseconds

    package init(launch: Int64, plugin: Int64, total: Int64, retention: Duration) {
        (self.launch, self.plugin, self.total) = (launch, plugin, total)
        self.retention = Nanoseconds(retention)
    }

    private enum CodingKeys: String, CodingKey {
        case launch = "launch_bytes"
        case plugin = "plugin_bytes"
        case total = "total_bytes"
        case retention = "retention_ns"
    }
}
