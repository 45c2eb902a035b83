// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation
import LocatedYAML
import Scheduling
import TaskModel

/// The command-line flags of `bgtaskd`, which override the keys of the configuration file.
package struct HostFlags: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file; by default the system's or the user's.", valueName: "file"))
    var config: String?
    @Flag(exclusivity: .exclusive, help: "The kind of host; by default the system's for root, else the user's.")
    var owner: Owner?

    @Option(help: ArgumentHelp("The directory of the operator's manifests.", valueName: "directory"))
    var manifests: String?
    @Option(help: ArgumentHelp("The directory of the packages' manifests.", valueName: "directory"))
    var packageManifests: String?
    @Option(
        help: ArgumentHelp("The directory of libraries that are not beside their manifest.", valueName: "directory")
    )
    var pluginDirectory: String?
    @Option(help: ArgumentHelp("The directory of the ledger and the containers.", valueName: "directory"))
    var stateDirectory: String?
    @Option(help: ArgumentHelp("The socket of the control API.", valueName: "path"))
    var socket: String?
    @Option(help: ArgumentHelp("A group whose members may read over the control socket.", valueName: "group"))
    var readGroup: String?
    @Option(
        help: ArgumentHelp(
            "A group whose members may read over the control socket, and submit, cancel and run requests.",
            valueName: "group"
        )
    )
    var submitGroup: String?
    @Option(help: ArgumentHelp("A group whose members may use every route of the control socket.", valueName: "group"))
    var operateGroup: String?
    @Option(help: ArgumentHelp("Timeout for idle connections and incomplete requests.", valueName: "duration"))
    var idleTimeout: String?
    @Option(help: ArgumentHelp("The program bgtask-runner; by default that of this installation.", valueName: "file"))
    var runner: String?
    @Option(
        help: ArgumentHelp(
            "Directory for the control groups of launches; \"none\" disables control groups.",
            valueName: "directory"
        )
    )
    var cgroup: String?
    @Option(
        help: ArgumentHelp("Whether launches run in a sandbox: best-effort, required or off.", valueName: "choice")
    )
    var isolation: String?
    @Option(
        help: ArgumentHelp(
            "The users that run plugins: auto, host or a range of user numbers FIRST-LAST.",
            valueName: "choice"
        )
    )
    var pluginUsers: String?
    @Option(
        help: ArgumentHelp("Nice value that background launches add to that of the host.", valueName: "number")
    )
    var backgroundNice: String?
    @Option(
        help: ArgumentHelp("Number of runners started in advance while launches are frequent.", valueName: "count")
    )
    var idleRunners: String?
    @Option(
        help: ArgumentHelp(
            "Lowest level of log lines: trace, debug, info, notice, warning, error or critical.",
            valueName: "level"
        )
    )
    var logLevel: String?

    @OptionGroup var conditions: ConditionFlags<String>

    @Option(help: ArgumentHelp("Maximum number of pending refresh requests of a plugin.", valueName: "count"))
    var refreshLimit: String?
    @Option(
        help: ArgumentHelp(
            "Maximum number of pending processing and health research requests of a plugin.",
            valueName: "count"
        )
    )
    var processingLimit: String?
    @Option(help: ArgumentHelp("Maximum number of pending continued requests of a plugin.", valueName: "count"))
    var continuedLimit: String?
    @Option(help: ArgumentHelp("Maximum number of waiting events of a plugin.", valueName: "count"))
    var eventLimit: String?
    @Option(help: ArgumentHelp("Budget of a launch with a refresh task.", valueName: "duration"))
    var refreshBudget: String?
    @Option(help: ArgumentHelp("Budget of a launch with a processing task.", valueName: "duration"))
    var processingBudget: String?
    @Option(help: ArgumentHelp("Budget of a launch with a health research task.", valueName: "duration"))
    var healthResearchBudget: String?
    @Option(help: ArgumentHelp("Budget of a launch with an event.", valueName: "duration"))
    var eventBudget: String?
    @Option(help: ArgumentHelp("Budget of a launch with a push.", valueName: "duration"))
    var pushBudget: String?
    @Option(help: ArgumentHelp("The grace period between expiration and kill.", valueName: "duration"))
    var gracePeriod: String?
    @Option(help: ArgumentHelp("The minimum time between two background launches of a plugin.", valueName: "duration"))
    var spacing: String?
    @Option(help: ArgumentHelp("Maximum number of tasks in one launch.", valueName: "count"))
    var batchSize: String?
    @Option(help: ArgumentHelp("Maximum number of background launches at once.", valueName: "count"))
    var backgroundLaunches: String?
    @Option(help: ArgumentHelp("Maximum number of event launches at once.", valueName: "count"))
    var eventLaunches: String?
    @Option(help: ArgumentHelp("Maximum number of continued launches at once.", valueName: "count"))
    var continuedLaunches: String?
    @Option(help: ArgumentHelp("Time without progress after which a continued task expires.", valueName: "duration"))
    var stallLimit: String?
    @Option(help: ArgumentHelp("The minimum time between two legacy fetches of a plugin.", valueName: "duration"))
    var minimumFetchInterval: String?
    @Option(help: ArgumentHelp("Whether refresh, legacy fetch and pushes run at all.", valueName: "true|false"))
    var backgroundRefresh: String?
    @Option(
        help: ArgumentHelp(
            "The time after start, resume or regained network over which launches are staggered.",
            valueName: "duration"
        )
    )
    var stagger: String?
    @Option(
        help: ArgumentHelp(
            "The minimum time between launches for refresh requests that the plugin itself submitted.",
            valueName: "duration"
        )
    )
    var refreshSpacing: String?
    @Option(help: ArgumentHelp("The minimum time between launches for pushes of a plugin.", valueName: "duration"))
    var pushSpacing: String?
    @Option(
        help: ArgumentHelp("The spacing after a first overrun; each further overrun doubles it.", valueName: "duration")
    )
    var overrunSpacing: String?
    @Option(
        help: ArgumentHelp(
            "Whether refresh requests follow the hours in which users use a plugin.",
            valueName: "true|false"
        )
    )
    var learnUse: String?
    @Option(
        help: ArgumentHelp("Maximum running time of a plugin's background launches per day.", valueName: "duration")
    )
    var dayBudget: String?
    @Option(help: ArgumentHelp("The longest time that advisory policies may defer a request.", valueName: "duration"))
    var maximumDeferral: String?
    @Option(
        help: ArgumentHelp(
            "The delay after the first charged attempt of a task; each further attempt doubles it.",
            valueName: "duration"
        )
    )
    var retryDelay: String?
    @Option(help: ArgumentHelp("Number of charged attempts after which a task is abandoned.", valueName: "count"))
    var attempts: String?
    @Option(
        help: ArgumentHelp("The delay before the host retries a runner or a commit that failed.", valueName: "duration")
    )
    var hostRetryDelay: String?
    @Option(help: ArgumentHelp("How long requests of a removed plugin are kept.", valueName: "duration"))
    var removedPluginRetention: String?
    @Option(help: ArgumentHelp("How long the journal and ended launches are kept.", valueName: "duration"))
    var journalRetention: String?

    package init() {}

    enum Owner: String, EnumerableFlag {
        case system
        case user
    }

    /// The configuration from defaults, file and flags. Throws one `HostError` with all problems.
    package func configuration() throws -> HostConfiguration {
        let reading = read()
        if reading.problems.isEmpty { return reading.configuration }
        throw HostError(configurationProblems: reading.problems)
    }

    /// The configuration from defaults, file and these flags, with its problems. Flags override the file, and the file
    /// overrides the defaults. A file named by `--config` must exist.
    package func read() -> HostConfigurationReading {
        let isSystem = owner.map { $0 == .system } ?? (getuid() == 0)
        let environment = ProcessInfo.processInfo.environment
        let paths = isSystem ? HostPaths.system : .user(environment: environment)
        var configuration = HostConfiguration(paths: paths, processors: ProcessInfo.processInfo.activeProcessorCount)
        // On a user's own host the uses of plugins are that user's.
        configuration.scheduling.policies.learnsUse = !isSystem
        var problems: [String] = []
        let file = config ?? paths.configurationFile
        if config != nil || FileManager.default.fileExists(atPath: file) {
            let document = YAMLDocument.decode(path: file, mayHoldNothing: true) { configuration.read($0) }
            problems = document.errors.map(\.description)
            configuration.file = file
        }
        let flags = flags.filter { $0.text != nil }
        let values = flags.map { (key: $0.key, text: $0.text ?? "") }
        let document = YAMLDocument.decode(values: values, source: "command line") { configuration.read($0) }
        problems += document.errors.map { Self.words(for: $0, among: flags) }
        configuration.resolvePolicies()
        configuration.readTimeZones()
        configuration.makePathsAbsolute()
        return HostConfigurationReading(configuration: configuration, problems: problems)
    }

    /// A flag with its key in the file and its value; `text` is nil when the flag was not given.
    private struct ValueFlag {
        let name: String
        /// Path of the key in the configuration file, with dots.
        let key: String
        let text: String?
    }

    private static func words(for problem: DocumentProblem, among flags: [ValueFlag]) -> String {
        let flag = flags.first { $0.key == problem.key }
        return "\(flag.map { "--\($0.name)" } ?? "command line"): \(problem.message); \(problem.remedy)"
    }

    private var conditionFlags: [ValueFlag] {
        Condition.all.map { ValueFlag(name: $0.name, key: "conditions.\($0.name)", text: conditions[$0]) }
    }

    private var flags: [ValueFlag] {
        conditionFlags + [
            ValueFlag(name: "manifests", key: "manifests", text: manifests),
            ValueFlag(name: "package-manifests", key: "package-manifests", text: packageManifests),
            ValueFlag(name: "plugin-directory", key: "plugin-directory", text: pluginDirectory),
            ValueFlag(name: "state-directory", key: "state-directory", text: stateDirectory),
            ValueFlag(name: "socket", key: "socket", text: socket),
            ValueFlag(name: "read-group", key: "socket-groups.read", text: readGroup),
            ValueFlag(name: "submit-group", key: "socket-groups.submit", text: submitGroup),
            ValueFlag(name: "operate-group", key: "socket-groups.operate", text: operateGroup),
            ValueFlag(name: "idle-timeout", key: "idle-timeout", text: idleTimeout),
            ValueFlag(name: "runner", key: "runner", text: runner),
            ValueFlag(name: "cgroup", key: "cgroup", text: cgroup),
            ValueFlag(name: "isolation", key: "isolation", text: isolation),
            ValueFlag(name: "plugin-users", key: "plugin-users", text: pluginUsers),
            ValueFlag(name: "background-nice", key: "background-nice", text: backgroundNice),
            ValueFlag(name: "idle-runners", key: "idle-runners", text: idleRunners),
            ValueFlag(name: "log-level", key: "log-level", text: logLevel),
            ValueFlag(name: "refresh-limit", key: "limits.refresh", text: refreshLimit),
            ValueFlag(name: "processing-limit", key: "limits.processing", text: processingLimit),
            ValueFlag(name: "continued-limit", key: "limits.continued", text: continuedLimit),
            ValueFlag(name: "event-limit", key: "limits.event", text: eventLimit),
            ValueFlag(name: "refresh-budget", key: "budgets.refresh", text: refreshBudget),
            ValueFlag(name: "processing-budget", key: "budgets.processing", text: processingBudget),
            ValueFlag(name: "health-research-budget", key: "budgets.health-research", text: healthResearchBudget),
            ValueFlag(name: "event-budget", key: "budgets.event", text: eventBudget),
            ValueFlag(name: "push-budget", key: "budgets.push", text: pushBudget),
            ValueFlag(name: "grace-period", key: "grace-period", text: gracePeriod),
            ValueFlag(name: "spacing", key: "spacing", text: spacing),
            ValueFlag(name: "batch-size", key: "batch-size", text: batchSize),
            ValueFlag(name: "background-launches", key: "launches.background", text: backgroundLaunches),
            ValueFlag(name: "event-launches", key: "launches.event", text: eventLaunches),
            ValueFlag(name: "continued-launches", key: "launches.continued", text: continuedLaunches),
            ValueFlag(name: "stall-limit", key: "continued.stall-limit", text: stallLimit),
            ValueFlag(name: "minimum-fetch-interval", key: "minimum-fetch-interval", text: minimumFetchInterval),
            ValueFlag(name: "background-refresh", key: "background-refresh", text: backgroundRefresh),
            ValueFlag(name: "stagger", key: "policies.stagger", text: stagger),
            ValueFlag(name: "refresh-spacing", key: "policies.spacing.refresh", text: refreshSpacing),
            ValueFlag(name: "push-spacing", key: "policies.spacing.push", text: pushSpacing),
            ValueFlag(name: "overrun-spacing", key: "policies.overrun-spacing", text: overrunSpacing),
            ValueFlag(name: "learn-use", key: "policies.learn-use", text: learnUse),
            ValueFlag(name: "day-budget", key: "policies.day-budget", text: dayBudget),
            ValueFlag(name: "maximum-deferral", key: "policies.maximum-deferral", text: maximumDeferral),
            ValueFlag(name: "retry-delay", key: "retry.delay", text: retryDelay),
            ValueFlag(name: "attempts", key: "retry.attempts", text: attempts),
            ValueFlag(name: "host-retry-delay", key: "retry.host-delay", text: hostRetryDelay),
            ValueFlag(
                name: "removed-plugin-retention",
                key: "removed-plugin-retention",
                text: removedPluginRetention
            ),
            ValueFlag(name: "journal-retention", key: "journal-retention", text: journalRetention),
        ]
    }
}

/// The configuration from file and flags, with all problems. A value that could not be read leaves the default or, for
/// a flag, the value of the file.
package struct HostConfigurationReading: Sendable {
    package let configuration: HostConfiguration
    /// Messages of the problems, each with place, rule and remedy.
    package let problems: [String]
}
