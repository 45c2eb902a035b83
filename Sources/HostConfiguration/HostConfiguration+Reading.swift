// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import LocatedYAML
import Logging
import Scheduling
import Signatures
import TaskModel

// The keys of the configuration file. Flags are read by the same functions, so that both have the same rules and
// messages.
extension HostConfiguration {
    /// Overrides the present values with the value of every known key in `mapping`.
    mutating func read(_ mapping: DiagnosingMapping) {
        readManifestDirectory("manifests", to: \.operatorManifests, mapping)
        readManifestDirectory("package-manifests", to: \.packageManifests, mapping)
        replace(&pluginDirectory, with: mapping.string("plugin-directory"))
        replace(&stateDirectory, with: mapping.string("state-directory"))
        replace(&controlSocket, with: mapping.string("socket"))
        mapping.mapping("socket-groups") { groups in
            readGroup(groups.string("read"), of: .read, groups.problems)
            readGroup(groups.string("submit"), of: .submit, groups.problems)
            readGroup(groups.string("operate"), of: .operate, groups.problems)
        }
        replace(&idleTimeout, with: mapping.duration("idle-timeout", in: Self.times))
        runner = mapping.string("runner")?.value ?? runner
        cgroup = mapping.string("cgroup")?.value ?? cgroup
        readIsolation(mapping)
        if let users = mapping.string("plugin-users") {
            pluginUsers = PluginUserChoice(users, problems: mapping.problems) ?? pluginUsers
        }
        mapping.mapping("launch-limits") { limits in
            launchLimits.memory = limits.byteSize("memory", in: PluginLimits.memoryRange)?.value ?? launchLimits.memory
            launchLimits.processes =
                limits.integer("processes", in: PluginLimits.processRange)?.value ?? launchLimits.processes
            launchLimits.fileSize =
                limits.byteSize("file-size", in: PluginLimits.fileSizeRange)?.value ?? launchLimits.fileSize
        }
        replace(&scheduling.diskReserve.most, with: mapping.byteSize("disk-reserve", in: DiskReserve.range))
        if mapping.presence(of: "grant-limits") != nil { grantLimits = Self.grantLimits(mapping) }
        replace(&backgroundNice, with: mapping.integer("background-nice", in: 0...19))
        replace(&idleRunners, with: mapping.integer("idle-runners", in: 0...64))
        mapping.mapping("provenance") { provenance in
            replace(&self.provenance.unsigned, with: provenance.choice("unsigned"))
            replace(&self.provenance.unpinned, with: provenance.choice("unpinned"))
            replace(&self.provenance.packages, with: provenance.choice("packages"))
            self.provenance.signers = provenance.string("signers")?.value ?? self.provenance.signers
            self.provenance.revoked = provenance.string("revoked")?.value ?? self.provenance.revoked
        }
        logLevel = mapping.choice("log-level", of: Logger.Level.self)?.value ?? logLevel
        mapping.mapping("conditions") { conditions in
            for condition in Condition.allCases {
                if let holds = conditions.boolean(condition.name) { self.conditions[condition] = holds.value }
            }
        }
        mapping.mapping("sensors") { readSensors($0) }
        mapping.mapping("logs") { logs in
            replace(&self.logs.launch, with: logs.byteSize("launch", in: LogLimits.launchRange))
            replace(&self.logs.plugin, with: logs.byteSize("plugin", in: LogLimits.pluginRange))
            replace(&self.logs.total, with: logs.byteSize("total", in: LogLimits.totalRange))
            replace(&self.logs.retention, with: logs.duration("retention", in: Self.waits))
        }
        replace(&journalRetention, with: mapping.duration("journal-retention", in: Self.waits))
        replace(&journalSize, with: mapping.byteSize("journal-size", in: Self.journalSizes))
        readScheduling(mapping)
        for policy in mapping.mappings("plugins", Self.policy) {
            guard let policy else { continue }
            policies[policy.plugin] = policy
            if !policy.settings.isEmpty { settings[policy.plugin] = policy.settings }
            if !policy.secrets.isEmpty { secrets[policy.plugin] = policy.secrets }
        }
        refuseSharedExtensions(mapping.problems)
    }

    /// Reports each extension that is listed under several main plugins. An extension shares the container and the
    /// requests of one main plugin only.
    private func refuseSharedExtensions(_ problems: ProblemCollector) {
        var owners: [PluginIdentifier: PluginIdentifier] = [:]
        for policy in policies.values.sorted(by: { $0.plugin < $1.plugin }) {
            for listed in policy.extensions {
                let owner = owners[listed.value] ?? policy.plugin
                owners[listed.value] = owner
                if owner == policy.plugin { continue }
                problems.report(
                    .wrongValue,
                    at: listed,
                    "is \"\(listed.value)\", which is listed under \"\(owner)\" as well",
                    remedy: "list an extension under only one main plugin"
                )
            }
        }
    }

    private mutating func readGroup(_ name: Field<String>?, of role: ControlRole, _ problems: ProblemCollector) {
        guard let name, let group = SocketGroup(named: name, problems: problems) else { return }
        socketGroups.groups[role] = group
    }

    private mutating func readManifestDirectory(
        _ key: String,
        to directory: WritableKeyPath<Self, String>,
        _ mapping: DiagnosingMapping
    ) {
        guard let name = mapping.string(key) else { return }
        self[keyPath: directory] = name.value
        namedManifestDirectories.insert(key)
    }

    private mutating func readScheduling(_ mapping: DiagnosingMapping) {
        mapping.mapping("limits") { limits in
            scheduling.limits = Self.limits(limits, over: scheduling.limits)
            replace(&scheduling.eventLimit, with: limits.integer("event", in: 0...1_000_000))
        }
        if let budgets = mapping.mapping("budgets", { Self.budgets($0, over: scheduling.budgets) }) {
            scheduling.budgets = budgets
        }
        replace(&scheduling.gracePeriod, with: mapping.duration("grace-period", in: Self.times))
        replace(&scheduling.spacing, with: mapping.duration("spacing", in: Self.waits))
        replace(&scheduling.batchSize, with: mapping.integer("batch-size", in: Self.batchSizes))
        mapping.mapping("launches") { launches in
            replace(&scheduling.backgroundLaunches, with: launches.integer("background", in: 1...10_000))
            replace(&scheduling.eventLaunches, with: launches.integer("event", in: 1...10_000))
            replace(&scheduling.continuedLaunches, with: launches.integer("continued", in: 1...10_000))
            replace(&scheduling.transferLaunches, with: launches.integer("transfer", in: 1...10_000))
        }
        mapping.mapping("continued") { continued in
            replace(&scheduling.stallLimit, with: continued.duration("stall-limit", in: Self.times))
            replace(&scheduling.pressureInterval, with: continued.duration("pressure-interval", in: Self.times))
        }
        mapping.mapping("transfers") { transfers in
            replace(
                &scheduling.transfers.noProgressLimit,
                with: transfers.duration("no-progress-limit", in: Self.bounds)
            )
            replace(&scheduling.transfers.retention, with: transfers.duration("retention", in: Self.bounds))
            if let rate = transfers.byteSize("discretionary-rate", in: Self.rates) {
                scheduling.transfers.discretionaryRate = Int(rate.value)
            }
        }
        mapping.mapping("fleet") { fleet in
            guard let plugins = fleet.strings("plugins") else { return }
            scheduling.fleet.plugins = plugins.value.compactMap { Self.pattern($0, fleet.problems) }
        }
        replace(&scheduling.minimumFetchInterval, with: mapping.duration("minimum-fetch-interval", in: Self.times))
        replace(&scheduling.isBackgroundRefreshOn, with: mapping.boolean("background-refresh"))
        mapping.mapping("policies") { readPolicies($0) }
        mapping.mapping("retry") { retry in
            replace(&scheduling.retryDelay, with: retry.duration("delay", in: Self.waits))
            replace(&scheduling.attempts, with: retry.integer("attempts", in: 1...1_000))
            replace(&scheduling.hostRetryDelay, with: retry.duration("host-delay", in: Self.times))
        }
        replace(
            &scheduling.removedPluginRetention,
            with: mapping.duration("removed-plugin-retention", in: Self.waits)
        )
    }

    /// Applies the operator's values for individual plugins over the values for all plugins. Called after file and
    /// flags are read.
    mutating func resolvePolicies() {
        for policy in policies.values { scheduling.plugins[policy.plugin] = policy.over(scheduling) }
    }

    private static func policy(_ name: Field<String>, _ mapping: DiagnosingMapping) -> OperatorPolicy? {
        let limits = mapping.mapping("limits") { limits in
            (
                refresh: limits.integer("refresh", in: 0...1_000_000)?.value,
                processing: limits.integer("processing", in: 0...1_000_000)?.value,
                continued: limits.integer("continued", in: 0...1_000_000)?.value
            )
        }
        let budgets = mapping.mapping("budgets") { budgets in
            (
                refresh: budgets.duration("refresh", in: times)?.value,
                processing: budgets.duration("processing", in: times)?.value,
                healthResearch: budgets.duration("health-research", in: times)?.value,
                event: budgets.duration("event", in: times)?.value,
                push: budgets.duration("push", in: times)?.value
            )
        }
        let isEnabled = mapping.boolean("enabled")?.value ?? true
        let allowsPatterns = mapping.boolean("patterns-for-processing")?.value ?? false
        let allowsPrivateAddresses = mapping.boolean("private-addresses")?.value ?? false
        let gracePeriod = mapping.duration("grace-period", in: times)?.value
        let spacing = mapping.duration("spacing", in: waits)?.value
        let settings = mapping.texts("settings")?.value ?? [:]
        let secrets = mapping.mappings("secrets") { key, source in SecretSource(key, source).map { (key.value, $0) } }
        let dayBudget = mapping.duration("day-budget", in: bounds)?.value
        let isBackgroundRefreshOn = mapping.boolean("background-refresh")?.value ?? true
        let isBackgroundOn = mapping.boolean("background")?.value ?? true
        let retries = retries(mapping)
        let schedules = schedules(mapping)
        let extensions = extensions(mapping, of: name.value)
        guard let plugin = PluginIdentifier(name.value) else {
            mapping.problems.reportIdentifier(
                name,
                isKey: true,
                remedy: "write the identifier of the plugin's manifest"
            )
            return nil
        }
        return OperatorPolicy(
            plugin: plugin,
            isEnabled: isEnabled,
            allowsPatternsForProcessing: allowsPatterns,
            allowsPrivateAddresses: allowsPrivateAddresses,
            limits: limits,
            budgets: budgets,
            gracePeriod: gracePeriod,
            spacing: spacing,
            dayBudget: dayBudget,
            isBackgroundRefreshOn: isBackgroundRefreshOn,
            isBackgroundDenied: !isBackgroundOn,
            retries: retries,
            schedules: schedules,
            settings: settings,
            secrets: Dictionary(secrets.compactMap(\.self)) { _, last in last },
            extensions: extensions
        )
    }

    private static func extensions(_ mapping: DiagnosingMapping, of main: String) -> [Field<PluginIdentifier>] {
        (mapping.strings("extensions")?.value ?? []).compactMap { field in
            guard let plugin = PluginIdentifier(field.value) else {
                mapping.problems.reportIdentifier(field, remedy: "write the identifier of the extension's manifest")
                return nil
            }
            if field.value == main {
                mapping.problems.report(
                    .wrongValue,
                    at: field,
                    "is \"\(field.value)\", which is the main plugin itself",
                    remedy: "remove it, or write the identifier of an extension of this plugin"
                )
                return nil
            }
            return field.map { _ in plugin }
        }
    }

    private static func limits(_ mapping: DiagnosingMapping, over defaults: PendingLimits) -> PendingLimits {
        var limits = defaults
        limits.refresh = mapping.integer("refresh", in: 0...1_000_000)?.value ?? limits.refresh
        limits.processing = mapping.integer("processing", in: 0...1_000_000)?.value ?? limits.processing
        limits.continued = mapping.integer("continued", in: 0...1_000_000)?.value ?? limits.continued
        limits.transfer = mapping.integer("transfer", in: 0...1_000_000)?.value ?? limits.transfer
        return limits
    }

    private static func budgets(_ mapping: DiagnosingMapping, over defaults: Budgets) -> Budgets {
        var budgets = defaults
        budgets.refresh = mapping.duration("refresh", in: times)?.value ?? budgets.refresh
        budgets.processing = mapping.duration("processing", in: times)?.value ?? budgets.processing
        budgets.healthResearch = mapping.duration("health-research", in: times)?.value ?? budgets.healthResearch
        budgets.event = mapping.duration("event", in: times)?.value ?? budgets.event
        budgets.push = mapping.duration("push", in: times)?.value ?? budgets.push
        return budgets
    }

    /// Permitted range of budgets, timeouts and intervals: 1 ms to 7 days.
    static let times: ClosedRange<Duration> = .milliseconds(1) ... .seconds(7 * 86_400)
    static let waits: ClosedRange<Duration> = .zero ... .seconds(3_650 * 86_400)
    /// Permitted rates, in bytes per second. Below them a transfer would count as slow.
    private static let rates: ClosedRange<Int64> = 1 << 16...1 << 40
    private static let journalSizes: ClosedRange<Int64> = 1 << 20...1 << 40
    /// Permitted batch sizes. The plan of such a batch fits into one frame even when each task has the largest payload.
    private static let batchSizes = 1...200
}

func replace<Value>(_ value: inout Value, with field: Field<Value>?) {
    if let field { value = field.value }
}
