// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import Foundation
package import HostConditions
import LocatedYAML
package import Logging
package import Scheduling
package import Signatures
package import TaskModel

/// The complete configuration of a host. Flags override the configuration file, and the file overrides the defaults.
package struct HostConfiguration: Sendable {
    /// Path of the configuration file; nil when no flag names one and the default file does not exist.
    package var file: String?
    package var operatorManifests: String
    package var packageManifests: String
    package var pluginDirectory: String
    package var stateDirectory: String
    package var controlSocket: String
    /// Groups whose members may use the control socket, besides the host's own user and root.
    package var socketGroups = SocketGroups()
    /// Timeout for idle connections and incomplete requests at the control socket. The default is shorter than the
    /// timeout of clients, because a client may wait for a free connection.
    package var idleTimeout: Duration = .seconds(10)
    /// Path of the runner's binary; nil for the default path (`RunnerProgram`).
    package var runner: String?
    /// Directory in which control groups of launches are created. Nil means that the host searches for a suitable
    /// directory; "none" disables control groups.
    package var cgroup: String?
    /// The operator's choice whether plugins run in a sandbox: as far as the kernel offers it, only with all of
    /// `requiredGuarantees`, or not at all.
    package var isolation = Isolation.bestEffort
    /// The guarantees without which the host refuses to start if isolation is required.
    package var requiredGuarantees = Guarantee.ofSandbox
    /// The operator's choice of the users that run plugins.
    package var pluginUsers = PluginUserChoice.automatic
    /// The limits of each launch. A manifest may request lower ones.
    package var launchLimits = PluginLimits(processes: 512, fileSize: 1 << 30)
    /// The operator's upper bounds for the grants of plugins.
    package var grantLimits = GrantLimits.none
    /// The nice value that background launches add to that of the host.
    package var backgroundNice = 10
    /// The operator's policy for signatures and pins of manifests.
    package var provenance = ProvenancePolicy()
    /// The number of runners that are started in advance while launches are frequent; 0 for none.
    package var idleRunners = 2
    package var logLevel = Logger.Level.info
    /// Conditions with a value fixed by the operator; sensors measure all others.
    package var conditions: [Condition: Bool] = [:]
    /// Thresholds at which a measurement sets a condition.
    package var sensors = ConditionThresholds()
    package var scheduling = SchedulingConfiguration()
    /// The source of the rules of time zones.
    package var timeZones = TimeZoneDatabase.system
    /// The limits of the log files of launches.
    package var logs = LogLimits()
    /// Retention of the journal and of ended launches.
    package var journalRetention: Duration = .seconds(90 * 24 * 60 * 60)
    /// Maximum size of the journal in bytes. Beyond it, the oldest entries are deleted.
    package var journalSize: Int64 = 256 << 20
    /// The operator's values of plugin settings, which override the defaults of the manifests.
    package var settings: [PluginIdentifier: [String: String]] = [:]
    /// The operator's sources of secret settings, by plugin and setting.
    package var secrets: [PluginIdentifier: [String: SecretSource]] = [:]

    /// Keys of the manifest directories that the file or a flag names.
    var namedManifestDirectories: Set<String> = []
    /// The operator's policies as read from the file; `scheduling.plugins` contains the resolved values.
    var policies: [PluginIdentifier: OperatorPolicy] = [:]

    /// Extensions that the configuration file adds to the extensions in the manifests, by main plugin.
    package var operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>] {
        policies.mapValues { Set($0.extensions.map(\.value)) }.filter { !$0.value.isEmpty }
    }

    /// The environment without the variables that are sources of secret settings: no plugin receives them by its
    /// environment.
    package func environmentWithoutSecrets(_ environment: [String: String]) -> [String: String] {
        let sources = secrets.values.flatMap(\.values)
        return environment.filter { !sources.contains(.environment($0.key)) }
    }

    /// Makes all paths absolute, because plugins receive some of them and have another working directory than the host.
    mutating func makePathsAbsolute() {
        func absolute(_ path: String) -> String { URL(fileURLWithPath: path).path }
        operatorManifests = absolute(operatorManifests)
        packageManifests = absolute(packageManifests)
        pluginDirectory = absolute(pluginDirectory)
        stateDirectory = absolute(stateDirectory)
        controlSocket = absolute(controlSocket)
        runner = runner.map(absolute)
        cgroup = cgroup.map { $0 == "none" ? $0 : absolute($0) }
        provenance.signers = provenance.signers.map(absolute)
        provenance.revoked = provenance.revoked.map(absolute)
    }

    package init(paths: HostPaths, processors: Int) {
        operatorManifests = paths.operatorManifests
        packageManifests = paths.packageManifests
        pluginDirectory = paths.pluginDirectory
        stateDirectory = paths.stateDirectory
        controlSocket = paths.controlSocket
        provenance.signers = paths.signersFile
        provenance.revoked = paths.revokedKeysFile
        scheduling.backgroundLaunches = 2 * processors
        scheduling.eventLaunches = 2 * processors
        scheduling.continuedLaunches = 2 * processors
    }

    /// The number of idle runners to keep under these conditions: none while memory is short.
    package func idleRunners(under conditions: Conditions) -> Int { conditions[.lowMemory] ? 0 : idleRunners }
}
