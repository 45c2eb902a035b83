// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/host`: the host process, its settings in force, its conditions and its current work.
package struct HostStatusReply: Codable, Hashable, Sendable {
    package let version: String
    /// The features that a manifest may require.
    package let features: [String]
    package let pid: Int32
    /// The account under which the host runs; the number of its user when no account has it.
    package let user: String
    package let startedAt: Timestamp
    private let startedAtSecond: CalendarTime
    package let bootID: String
    /// The name of the machine's time zone at the start of the host, such as `Europe/Berlin`; nil when it has none.
    package let timeZone: String?
    package let stateDirectory: String
    package let ledger: LedgerState
    /// A number that rises when the ledger is restored from a backup; 1 before the first restore.
    package let incarnation: Int64
    /// Message about the free space that the disk of the containers lacks; nil while it keeps its reserve.
    package let diskShortage: String?
    package let socket: String
    /// The names of the groups whose members may use the socket, besides the host's user and root, by role.
    package let socketGroups: [String: String]
    /// The directories of manifests, in order of precedence.
    package let manifestDirectories: [String]
    package let pluginDirectory: String
    /// Path of the configuration file; nil when the host runs without a configuration file.
    package let configurationFile: String?
    /// Plugins that have settings in the configuration but are not installed.
    package let configuredWithoutPlugin: [String]
    package let conditions: ConditionsReply
    package let sensors: SensorsInForce
    package let counts: Counts
    /// Limits of pending requests per main plugin, and of waiting events per plugin, without the operator's settings
    /// for individual plugins.
    package let limits: [KindLimit]
    package let budgets: [KindBudget]
    package let launchLimits: [LaneLimit]
    package let idleRunners: IdleRunnersInForce
    package let gracePeriod: Nanoseconds
    package let spacing: Nanoseconds
    /// Maximum number of tasks per launch.
    package let batchSize: Int
    /// Timeout for idle connections and incomplete requests.
    package let idleTimeout: Nanoseconds
    package let retry: RetryRule
    package let retention: Retention
    package let logs: LogsInForce
    package let policies: PoliciesInForce
    package let isolation: IsolationInForce
    package let provenance: ProvenanceInForce
    package let continued: ContinuedRule
    /// Minimum interval between two legacy fetches of a plugin.
    package let minimumFetchInterval: Nanoseconds
    package let isBackgroundRefreshOn: Bool
    package let isStopping: Bool

    package init(
        version: String = Release.version,
        features: [String] = HostFeatures.all,
        pid: Int32,
        user: String,
        startedAt: WallTime,
        boot: BootID,
        timeZone: String? = nil,
        stateDirectory: String,
        ledger: LedgerState,
        incarnation: Int64,
        diskShortage: String? = nil,
        socket: String,
        socketGroups: [ControlRole: String],
        manifestDirectories: [String],
        pluginDirectory: String,
        configurationFile: String?,
        configuredWithoutPlugin: [PluginIdentifier],
        conditions: ConditionsReply,
        sensors: SensorsInForce,
        counts: Counts,
        limits: [KindLimit],
        budgets: [KindBudget],
        launchLimits: [LaneLimit],
        idleRunners: IdleRunnersInForce,
        gracePeriod: Duration,
        spacing: Duration,
        batchSize: Int,
        idleTimeout: Duration,
        retry: RetryRule,
        retention: Retention,
        logs: LogsInForce,
        policies: PoliciesInForce,
        isolation: IsolationInForce,
        provenance: ProvenanceInForce,
        continued: ContinuedRule,
        minimumFetchInterval: Duration,
        isBackgroundRefreshOn: Bool,
        isStopping: Bool
    ) {
        self.version = version
        self.features = features
        self.pid = pid
        self.user = user
        self.startedAt = Timestamp(startedAt)
        startedAtSecond = CalendarTime(secondOf: self.startedAt)
        self.bootID = boot.text
        self.timeZone = timeZone
        self.stateDirectory = stateDirectory
        self.ledger = ledger
        self.incarnation = incarnation
        self.diskShortage = diskShortage
        self.socket = socket
        self.socketGroups = Dictionary(uniqueKeysWithValues: socketGroups.map { ($0.rawValue, $1) })
        self.manifestDirectories = manifestDirectories
        self.pluginDirectory = pluginDirectory
        self.configurationFile = configurationFile
        self.configuredWithoutPlugin = configuredWithoutPlugin.map(\.text)
        self.conditions = conditions
        self.sensors = sensors
        self.counts = counts
        self.limits = limits
        self.budgets = budgets
        self.launchLimits = launchLimits
        self.idleRunners = idleRunners
        self.gracePeriod = Nanoseconds(gracePeriod)
        self.spacing = Nanoseconds(spacing)
        self.batchSize = batchSize
        self.idleTimeout = Nanoseconds(idleTimeout)
        self.retry = retry
        self.retention = retention
        self.logs = logs
        self.policies = policies
        self.isolation = isolation
        self.provenance = provenance
        self.continued = continued
        self.minimumFetchInterval = Nanoseconds(minimumFetchInterval)
        self.isBackgroundRefreshOn = isBackgroundRefreshOn
        self.isStopping = isStopping
    }

    private enum CodingKeys: String, CodingKey {
        case version, features, pid, user, ledger, incarnation, socket, conditions, sensors, counts, limits, budgets,
            retry,
            retention, logs,
            policies, isolation, provenance, continued
        case minimumFetchInterval = "minimum_fetch_interval_ns"
        case isBackgroundRefreshOn = "background_refresh"
        case socketGroups = "socket_groups"
        case diskShortage = "disk_shortage"
        case startedAt = "started_at_ns"
        case startedAtSecond = "started_at"
        case bootID = "boot_id"
        case timeZone = "time_zone"
        case stateDirectory = "state_directory"
        case manifestDirectories = "manifest_directories"
        case pluginDirectory = "plugin_directory"
        case configurationFile = "config_file"
        case configuredWithoutPlugin = "configured_without_plugin"
        case launchLimits = "launch_limits"
        case idleRunners = "idle_runners"
        case gracePeriod = "grace_period_ns"
        case spacing = "spacing_ns"
        case batchSize = "batch_size"
        case idleTimeout = "idle_timeout_ns"
        case isStopping = "stopping"
    }

    package struct Counts: Codable, Hashable, Sendable {
        package let plugins: Int
        /// Number of refused manifests.
        package let refused: Int
        /// Number of pending requests.
        package let pending: Int
        /// Number of waiting events.
        package let events: Int
        package let runningLaunches: Int

        package init(plugins: Int, refused: Int, pending: Int, events: Int, runningLaunches: Int) {
            self.plugins = plugins
            self.refused = refused
            self.pending = pending
            self.events = events
            self.runningLaunches = runningLaunches
        }

        private enum CodingKeys: String, CodingKey {
            case plugins, refused, pending, events
            case runningLaunches = "running_launches"
        }
    }
}
