// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Every number that a decision depends on, with the defaults of C5 to C7. None is hidden:
/// `host status` prints them, and `plugin show` those that hold for one plugin.
package struct SchedulingConfiguration: Hashable, Sendable {
    package var limits = PendingLimits()
    package var budgets = Budgets()
    /// How long a plugin may still take after expiration.
    package var grace: Duration = .seconds(5)
    /// Least time between two background launches of one plugin.
    package var spacing: Duration = .seconds(1)
    /// Launches at once on the whole host, by lane.
    package var backgroundLaunches = 4
    package var eventLaunches = 4
    package var continuedLaunches = 4
    /// How long a continued task may go without progress (C6).
    package var stallLimit: Duration = .seconds(30)
    /// Between two continued tasks that memory pressure ends.
    package var pressureInterval: Duration = .seconds(10)
    /// Legacy fetch asks no plugin more often (statement 84).
    package var minimumFetchInterval: Duration = .seconds(15 * 60)
    package var policies = PolicyConfiguration()
    /// The operator's switch for refresh and legacy fetch (statement 7).
    package var isBackgroundRefreshOn = true
    /// Tasks that one launch takes at the most.
    package var batchSize = 100
    /// Events that may wait for one plugin (C11).
    package var eventLimit = 100
    /// The delay after the first charged attempt; it doubles with each further one (C3).
    package var retryDelay: Duration = .seconds(10)
    /// Charged attempts after which a task is abandoned (C3).
    package var attempts = 3
    /// How long the requests of a removed plugin are kept (C17).
    package var removedPluginRetention: Duration = .seconds(30 * 24 * 60 * 60)
    /// How long the wall clock must have said that the time of something is over before it is dropped for good: one that
    /// was wrong, as on a machine that just started, is right by then.
    package var clockDoubt: Duration = .seconds(10 * 60)
    /// How long the host waits before it asks again for a runner or a commit that it could not have.
    package var hostRetryDelay: Duration = .seconds(1)
    /// What the operator decided about single plugins.
    package var plugins: [PluginIdentifier: PluginPolicy] = [:]

    package init() {}

    package func policy(for plugin: PluginIdentifier) -> PluginPolicy { plugins[plugin] ?? PluginPolicy() }

    package func launchLimit(in lane: Lane) -> Int {
        switch lane {
        case .background: backgroundLaunches
        case .event: eventLaunches
        case .continued: continuedLaunches
        }
    }
}

/// How many requests of a kind may be pending for one main plugin at once (C5).
package struct PendingLimits: Hashable, Sendable {
    package var refresh = 1
    package var processing = 10
    package var continued = 10

    /// The limit that a request of the kind counts against; nil where nothing is submitted.
    package subscript(kind: TaskKind) -> Int? {
        switch kind {
        case .refresh: refresh
        case .processing, .healthResearch: processing
        case .continued: continued
        case .event: nil
        }
    }

    package init() {}
}

/// How long a launch may take when a task of the kind is in its batch (C6).
package struct Budgets: Hashable, Sendable {
    package var refresh: Duration = .seconds(30)
    package var processing: Duration = .seconds(600)
    package var healthResearch: Duration = .seconds(600)
    package var event: Duration = .seconds(30)

    package init() {}

    /// Nil for a continued task, which has none.
    package subscript(kind: TaskKind) -> Duration? {
        switch kind {
        case .refresh: refresh
        case .processing: processing
        case .healthResearch: healthResearch
        case .continued: nil
        case .event: event
        }
    }
}

/// The operator's word on one plugin; nil leaves the host's value.
package struct PluginPolicy: Hashable, Sendable {
    package var isEnabled = true
    /// Statement 7: off refuses refresh as unavailable, denied refuses all background work as not permitted.
    package var isBackgroundRefreshOn = true
    package var isBackgroundDenied = false
    /// Lets patterns of permitted identifiers stand for processing requests too (C9).
    package var allowsPatternsForProcessing = false
    package var limits: PendingLimits?
    package var budgets: Budgets?
    package var grace: Duration?
    package var spacing: Duration?
    package var dayBudget: Duration?
    /// Recurring work without code, by the identifier that is submitted.
    package var schedules: [TaskIdentifier: WorkSchedule] = [:]

    package init() {}
}
