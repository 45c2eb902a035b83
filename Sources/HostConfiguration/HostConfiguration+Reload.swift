// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// The effect of a configuration file that was read again while the host runs.
package struct ConfigurationReload: Sendable {
    /// The configuration in force: the present one, with the changed values that apply at once.
    package let configuration: HostConfiguration
    /// The changed keys that apply at once, in the order of the file; `plugins.ID` for a plugin's settings of scheduling.
    package let applied: [String]
    /// The changed keys that apply from the next start of the host.
    package let needingRestart: [String]
}

extension HostConfiguration {
    /// Throws when this configuration, which is in force, came from a file that no longer existed when `new` was read:
    /// otherwise the defaults would replace every value of the file.
    package func checkFile(of new: HostConfiguration) throws(HostError) {
        guard let file, new.file == nil else { return }
        throw HostError(configurationProblems: [
            "\(file): no longer exists, and the configuration in force was read from it; restore the file, or"
                + " create an empty one for the defaults"
        ])
    }

    /// Compares this configuration, which is in force, with a newly read one.
    package func reloaded(as new: HostConfiguration) -> ConfigurationReload {
        var next = self
        next.file = new.file
        next.scheduling = new.scheduling
        next.policies = policies(extendedAsNow: new.policies)
        // The disk is watched with the reserve of the start, and retentions have alarms of the start.
        next.scheduling.diskReserve = scheduling.diskReserve
        next.scheduling.removedPluginRetention = scheduling.removedPluginRetention
        next.scheduling.transfers.retention = scheduling.transfers.retention
        return ConfigurationReload(
            configuration: next,
            applied: Self.keysAtOnce.filter { !$0.isEqual(self, new) }.map(\.name) + changedPlugins(in: new),
            needingRestart: Self.keysOfStart.filter { !$0.isEqual(self, new) }.map(\.name)
        )
    }

    /// The new policies of plugins with the present lists of extensions, which change only at a start.
    private func policies(
        extendedAsNow new: [PluginIdentifier: OperatorPolicy]
    ) -> [PluginIdentifier: OperatorPolicy] {
        var next = policies.filter { !$0.value.extensions.isEmpty }
        for (plugin, policy) in new {
            next[plugin] = policy
            next[plugin]?.extensions = policies[plugin]?.extensions ?? []
        }
        return next
    }

    private func changedPlugins(in new: HostConfiguration) -> [String] {
        Set(scheduling.plugins.keys).union(new.scheduling.plugins.keys).sorted()
            .filter { scheduling.policy(for: $0) != new.scheduling.policy(for: $0) }.map { "plugins.\($0)" }
    }

    /// A key of the file with the comparison of its values in two configurations.
    private struct Key: Sendable {
        let name: String
        let isEqual: @Sendable (HostConfiguration, HostConfiguration) -> Bool

        init(_ name: String, _ isEqual: @escaping @Sendable (HostConfiguration, HostConfiguration) -> Bool) {
            self.name = name
            self.isEqual = isEqual
        }
    }

    /// Names of the keys of the file that apply at once or from the next start, for the test that no key is missing.
    /// The key `plugins` has parts of both kinds.
    package static var reloadKeys: Set<String> {
        Set((keysAtOnce + keysOfStart).map { $0.name.prefix { $0 != "." } }.map(String.init))
    }

    /// The keys whose values the scheduler reads at each decision.
    private static let keysAtOnce = [
        Key("limits") {
            $0.scheduling.limits == $1.scheduling.limits && $0.scheduling.eventLimit == $1.scheduling.eventLimit
        },
        Key("budgets") { $0.scheduling.budgets == $1.scheduling.budgets },
        Key("grace-period") { $0.scheduling.gracePeriod == $1.scheduling.gracePeriod },
        Key("spacing") { $0.scheduling.spacing == $1.scheduling.spacing },
        Key("batch-size") { $0.scheduling.batchSize == $1.scheduling.batchSize },
        Key("launches") {
            $0.scheduling.backgroundLaunches == $1.scheduling.backgroundLaunches
                && $0.scheduling.eventLaunches == $1.scheduling.eventLaunches
                && $0.scheduling.continuedLaunches == $1.scheduling.continuedLaunches
                && $0.scheduling.transferLaunches == $1.scheduling.transferLaunches
        },
        Key("continued") {
            $0.scheduling.stallLimit == $1.scheduling.stallLimit
                && $0.scheduling.pressureInterval == $1.scheduling.pressureInterval
        },
        Key("transfers") {
            $0.scheduling.transfers.noProgressLimit == $1.scheduling.transfers.noProgressLimit
                && $0.scheduling.transfers.discretionaryRate == $1.scheduling.transfers.discretionaryRate
        },
        Key("fleet") { $0.scheduling.fleet == $1.scheduling.fleet },
        Key("minimum-fetch-interval") { $0.scheduling.minimumFetchInterval == $1.scheduling.minimumFetchInterval },
        Key("background-refresh") { $0.scheduling.isBackgroundRefreshOn == $1.scheduling.isBackgroundRefreshOn },
        Key("policies") { $0.scheduling.policies == $1.scheduling.policies },
        Key("retry") {
            $0.scheduling.retryDelay == $1.scheduling.retryDelay
                && $0.scheduling.attempts == $1.scheduling.attempts
                && $0.scheduling.hostRetryDelay == $1.scheduling.hostRetryDelay
        },
    ]

    private static let keysOfStart = [
        Key("manifests") { $0.operatorManifests == $1.operatorManifests },
        Key("package-manifests") { $0.packageManifests == $1.packageManifests },
        Key("plugin-directory") { $0.pluginDirectory == $1.pluginDirectory },
        Key("state-directory") { $0.stateDirectory == $1.stateDirectory },
        Key("socket") { $0.controlSocket == $1.controlSocket },
        Key("socket-groups") { $0.socketGroups == $1.socketGroups },
        Key("idle-timeout") { $0.idleTimeout == $1.idleTimeout },
        Key("runner") { $0.runner == $1.runner },
        Key("cgroup") { $0.cgroup == $1.cgroup },
        Key("isolation") {
            $0.isolation == $1.isolation && $0.requiredGuarantees == $1.requiredGuarantees
        },
        Key("plugin-users") { $0.pluginUsers == $1.pluginUsers },
        Key("launch-limits") { $0.launchLimits == $1.launchLimits },
        Key("disk-reserve") { $0.scheduling.diskReserve == $1.scheduling.diskReserve },
        Key("grant-limits") { $0.grantLimits == $1.grantLimits },
        Key("background-nice") { $0.backgroundNice == $1.backgroundNice },
        Key("idle-runners") { $0.idleRunners == $1.idleRunners },
        Key("provenance") { $0.provenance == $1.provenance },
        Key("log-level") { $0.logLevel == $1.logLevel },
        Key("conditions") { $0.conditions == $1.conditions },
        Key("sensors") { $0.sensors == $1.sensors },
        Key("logs") { $0.logs == $1.logs },
        Key("transfers.retention") { $0.scheduling.transfers.retention == $1.scheduling.transfers.retention },
        Key("journal-retention") { $0.journalRetention == $1.journalRetention },
        Key("journal-size") { $0.journalSize == $1.journalSize },
        Key("removed-plugin-retention") {
            $0.scheduling.removedPluginRetention == $1.scheduling.removedPluginRetention
        },
        Key("plugins.settings") { $0.settings == $1.settings },
        Key("plugins.secrets") { $0.secrets == $1.secrets },
        Key("plugins.extensions") { $0.operatorExtensions == $1.operatorExtensions },
    ]
}
