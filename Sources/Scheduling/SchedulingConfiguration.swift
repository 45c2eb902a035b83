// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The settings of all decisions, with the defaults of C5 to C7. `host status` shows the settings that an operator can
/// change, and `plugin show` the values that apply to one plugin.
package struct SchedulingConfiguration: Hashable, Sendable {
    package var limits = PendingLimits()
    package var budgets = Budgets()
    /// The grace period between expiration and kill.
    package var gracePeriod: Duration = .seconds(5)
    /// Minimum time between the end of a background launch and the next background launch of the same plugin.
    package var spacing: Duration = .seconds(1)
    /// Launch limits of the lanes, for all plugins together; see `LaneUse`.
    package var backgroundLaunches = 4
    package var eventLaunches = 4
    package var continuedLaunches = 4
    package var transferLaunches = 4
    /// The free space and the free inodes that the disk of the containers keeps.
    package var diskReserve = DiskReserve()
    /// Maximum time of a continued task without progress (C6). It also limits the entry function of a launch without a
    /// budget, and assertions that outlast the deadline of the budget.
    package var stallLimit: Duration = .seconds(30)
    /// Minimum time between two expirations of continued tasks under memory pressure.
    package var pressureInterval: Duration = .seconds(10)
    /// Minimum interval of legacy fetch (statement 84).
    package var minimumFetchInterval: Duration = .seconds(15 * 60)
    package var policies = PolicyConfiguration()
    package var transfers = TransferRules()
    /// The operator's switch for refresh, legacy fetch and pushes (statement 7).
    package var isBackgroundRefreshOn = true
    /// Maximum number of tasks per batch.
    package var batchSize = 100
    /// Maximum number of waiting events per plugin (C11). Requeued events may exceed it.
    package var eventLimit = 100
    /// The delay after the first charged attempt; each further charged attempt doubles it (C3).
    package var retryDelay: Duration = .seconds(10)
    /// Number of charged attempts after which a task is abandoned (C3).
    package var attempts = 3
    /// Minimum time for which the pending work of a removed or refused plugin is kept, unless a user purges the plugin
    /// (C17).
    package var removedPluginRetention: Duration = .seconds(30 * 24 * 60 * 60)
    /// Time for which the wall clock must have been past the end of a retention, or past a deadline that it stepped
    /// over, before the data is dropped for good. A wrong clock, such as that of a machine that has just started, is
    /// corrected within this time.
    package var clockDoubt: Duration = .seconds(10 * 60)
    /// Delay before the host repeats a failed commit, read or launch. Each consecutive failed launch of a plugin
    /// doubles it, up to a maximum.
    package var hostRetryDelay: Duration = .seconds(1)
    package var fleet = FleetRules()
    /// The operator's settings for individual plugins.
    package var plugins: [PluginIdentifier: PluginPolicy] = [:]
    /// The rules of the time zones of all schedules, as read at the start of the host. Later changes are in
    /// `Scheduler.timeZones`.
    package var timeZones = TimeZoneTable()
    /// The versions of the ABI since which kinds and events exist. Not a setting: tests simulate a later release.
    package var abiMinors = ABIMinors()

    package init() {}

    /// The time zones of all schedules, and that of the machine if the host learns use. The host has to read the rules
    /// of these zones.
    package var usedZones: Set<ScheduleZone> {
        let zones = Set(plugins.values.flatMap { $0.schedules.values.compactMap(\.calendar?.zone) })
        return policies.learnsUse ? zones.union([.machine]) : zones
    }

    package func policy(for plugin: PluginIdentifier) -> PluginPolicy { plugins[plugin] ?? PluginPolicy() }

    /// The share of one launch in the rate of discretionary transfers; nil without a limit. The launches cannot share one
    /// bucket: each of them has the part that keeps all launches of the lane together below the rate.
    var discretionaryRatePerLaunch: Int? {
        transfers.discretionaryRate.map { max(1, $0 / max(1, transferLaunches)) }
    }

    package func launchLimit(in lane: Lane) -> Int {
        switch lane {
        case .background: backgroundLaunches
        case .event: eventLaunches
        case .continued: continuedLaunches
        case .transfer: transferLaunches
        }
    }
}

/// The operator's rules for work of a fleet.
package struct FleetRules: Hashable, Sendable {
    /// The plugins that take work of a fleet.
    package var plugins: [PluginPattern] = []

    package init() {}

    package func permits(_ plugin: PluginIdentifier) -> Bool { plugins.contains { $0.matches(plugin) } }
}

/// The settings of background transfers.
package struct TransferRules: Hashable, Sendable {
    /// The library that performs transfers; nil when it is missing or unusable.
    package var library: LibraryFile?
    /// The problem of the missing library.
    package var libraryProblem = "the host has not looked for it"
    /// Size of the disk of the containers at the start of the host; nil when it is not known.
    package var diskBytes: Int64?
    /// The time of tries without movement after which a transfer fails.
    package var noProgressLimit: Duration = .seconds(14 * 24 * 60 * 60)
    /// Time for which the result of an ended transfer is kept for its plugin. The host prunes them.
    package var retention: Duration = .seconds(7 * 24 * 60 * 60)
    /// Maximum time of a launch in which no transfer moves.
    package var stallLimit: Duration = .seconds(60)
    /// Maximum number of transfers per launch.
    package var mostPerLaunch = 64
    /// Maximum number of bytes per second of all discretionary transfers of the host; nil for no limit.
    package var discretionaryRate: Int?

    package init() {}

    package var problem: String? { library == nil ? libraryProblem : nil }
}

/// Limits of pending requests per main plugin, by kind (C5). Requeued requests may exceed them.
package struct PendingLimits: Hashable, Sendable {
    package var refresh = 1
    package var processing = 10
    package var continued = 10
    package var transfer = 1_000

    /// The limit that applies to requests of the kind; nil for events, which are not submitted, and for pushes, of
    /// which a plugin has at most one.
    package subscript(kind: TaskKind) -> Int? {
        switch kind {
        case .refresh: refresh
        case .processing, .healthResearch: processing
        case .continued: continued
        case .transfer: transfer
        case .event, .push: nil
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
    package var push: Duration = .seconds(30)

    package init() {}

    /// The budget of a launch for a task of the kind; nil for a continued task and a transfer, which have none.
    package subscript(kind: TaskKind) -> Duration? {
        switch kind {
        case .refresh: refresh
        case .processing: processing
        case .healthResearch: healthResearch
        case .continued, .transfer: nil
        case .event: event
        case .push: push
        }
    }
}

/// The operator's settings for one plugin. For a setting that is nil, the setting of the host applies.
package struct PluginPolicy: Hashable, Sendable {
    package var isEnabled = true
    /// Whether the plugin may use refresh, legacy fetch and pushes (statement 7). If false, new refresh requests
    /// are refused as unavailable, and pending ones and pushes are blocked. `isBackgroundDenied` blocks all work except
    /// continued tasks, and refuses new requests as not permitted.
    package var isBackgroundRefreshOn = true
    package var isBackgroundDenied = false
    /// Whether patterns of permitted identifiers also permit processing and health research requests (C9).
    package var allowsPatternsForProcessing = false
    /// Whether transfers of the plugin may reach addresses of the machine itself and of private networks.
    package var allowsPrivateAddresses = false
    package var limits: PendingLimits?
    package var budgets: Budgets?
    package var gracePeriod: Duration?
    package var spacing: Duration?
    package var dayBudget: Duration?
    package var retries = RetryChoices()
    /// The operator's schedules for the plugin, by the identifier of their requests.
    package var schedules: [TaskIdentifier: WorkSchedule] = [:]

    package init() {}
}
