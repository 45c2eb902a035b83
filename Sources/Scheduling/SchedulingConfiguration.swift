// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The settings of all decisions, with the defaults of C5 to C7. `host status` shows the settings that an operator can
/// change, and `plugin show` the values that apply to one plugin.
package struct SchedulingConfiguration: Hashable, Sendable {
    package var limits = PendingLimits()
    package var budgets = Budgets()
    /// The grace period between expiration and kill.
    package var gracePeriod: Duration = .seconds(5)
    /// Minimum time between two background launches of one plugin.
    package var spacing: Duration = .seconds(1)
    /// Maximum number of concurrent launches of the host, per lane.
    package var backgroundLaunches = 4
    package var eventLaunches = 4
    package var continuedLaunches = 4
    /// The free part that the disk of the containers keeps.
    package var diskReserve = DiskReserve()
    /// Maximum time of a continued task without progress (C6).
    package var stallLimit: Duration = .seconds(30)
    /// Time between two expirations of continued tasks under memory pressure.
    package var pressureInterval: Duration = .seconds(10)
    /// Minimum interval of legacy fetch (statement 84).
    package var minimumFetchInterval: Duration = .seconds(15 * 60)
    package var policies = PolicyConfiguration()
    /// The operator's switch for refresh and legacy fetch (statement 7).
    package var isBackgroundRefreshOn = true
    /// Maximum number of tasks per batch.
    package var batchSize = 100
    /// Maximum number of waiting events per plugin (C11).
    package var eventLimit = 100
    /// The delay after the first charged attempt; each further charged attempt doubles it (C3).
    package var retryDelay: Duration = .seconds(10)
    /// Number of charged attempts after which a task is abandoned (C3).
    package var attempts = 3
    /// Time for which the requests of a removed plugin are kept (C17).
    package var removedPluginRetention: Duration = .seconds(30 * 24 * 60 * 60)
    /// Time for which the wall clock must have been past the end of a retention before the data is dropped for good. A
    /// wrong clock, such as that of a machine that has just started, is corrected within this time.
    package var clockDoubt: Duration = .seconds(10 * 60)
    /// Delay between a failed request of the host for a runner or a commit and the next attempt.
    package var hostRetryDelay: Duration = .seconds(1)
    /// The operator's settings for individual plugins.
    package var plugins: [PluginIdentifier: PluginPolicy] = [:]
    /// The rules of the time zones of all schedules, as read at the start of the host. Later changes are in
    /// `Scheduler.timeZones`.
    package var timeZones = TimeZoneTable()
    /// The versions of the ABI since which kinds and events exist. Not a setting: tests simulate a later release.
    package var abiMinors = ABIMinors()

    package init() {}

    /// The time zones of all schedules. The host has to read the rules of these zones.
    package var zonesOfSchedules: Set<ScheduleZone> {
        Set(plugins.values.flatMap { $0.schedules.values.compactMap(\.calendar?.zone) })
    }

    package func policy(for plugin: PluginIdentifier) -> PluginPolicy { plugins[plugin] ?? PluginPolicy() }

    package func launchLimit(in lane: Lane) -> Int {
        switch lane {
        case .background: backgroundLaunches
        case .event: eventLaunches
        case .continued: continuedLaunches
        }
    }
}

/// Maximum numbers of pending requests per main plugin, by kind (C5).
package struct PendingLimits: Hashable, Sendable {
    package var refresh = 1
    package var processing = 10
    package var continued = 10

    /// The limit that applies to requests of the kind; nil for events, which are not submitted.
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

/// Maximum running times of launches by kind of task (C6).
package struct Budgets: Hashable, Sendable {
    package var refresh: Duration = .seconds(30)
    package var processing: Duration = .seconds(600)
    package var healthResearch: Duration = .seconds(600)
    package var event: Duration = .seconds(30)

    package init() {}

    /// The budget of a launch for a task of the kind; nil for a continued task, which has none.
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

/// The operator's settings for one plugin. For a setting that is nil, the setting of the host applies.
package struct PluginPolicy: Hashable, Sendable {
    package var isEnabled = true
    /// Whether refresh requests are accepted; false refuses them as unavailable. `isBackgroundDenied` refuses all
    /// background work as not permitted (statement 7).
    package var isBackgroundRefreshOn = true
    package var isBackgroundDenied = false
    /// Whether patterns of permitted identifiers also permit processing requests (C9).
    package var allowsPatternsForProcessing = false
    package var limits: PendingLimits?
    package var budgets: Budgets?
    package var gracePeriod: Duration?
    package var spacing: Duration?
    package var dayBudget: Duration?
    /// The operator's schedules for the plugin, by the identifier of their requests.
    package var schedules: [TaskIdentifier: WorkSchedule] = [:]

    package init() {}
}
