// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import Foundation
package import HostConditions
import LocatedYAML
package import Logging
package import Scheduling
package import TaskModel

/// Everything that a host goes by: the defaults, under the configuration file, under the flags.
package struct HostConfiguration: Sendable {
    /// The file that was read; nil when there was none.
    package var file: String?
    package var operatorManifests: String
    package var packageManifests: String
    package var pluginFolder: String
    package var stateFolder: String
    package var controlSocket: String
    /// Whose members may use the control socket beside the host's own user and root.
    package var socketGroup: SocketGroup?
    /// How long a connection to it may say nothing, or not all of it: others wait for its place, for less than they are
    /// ready to.
    package var callerPatience: Duration = .seconds(10)
    /// The runner's binary; nil means the one beside the host's own.
    package var runner: String?
    /// Where control groups for launches are made; nil means that the host looks for a place.
    package var cgroup: String?
    package var logLevel = Logger.Level.info
    /// What the operator fixed; everything else is left to the sensors.
    package var conditions: [Condition: Bool] = [:]
    /// From where on what the sensors measure counts.
    package var sensors = ConditionThresholds()
    package var scheduling = SchedulingConfiguration()
    /// Where the rules of time zones are read.
    package var timeZones = TimeZoneDatabase.system
    /// How long the journal and ended launches are kept.
    package var journalRetention: Duration = .seconds(90 * 24 * 60 * 60)
    /// The operator's values for plugins' settings, over the manifests' defaults.
    package var settings: [PluginIdentifier: [String: String]] = [:]

    /// The keys of manifest folders that somebody gave, in the file or by a flag.
    var namedManifestFolders: Set<String> = []
    /// As the file has them; `scheduling.plugins` holds what they come to.
    var policies: [PluginIdentifier: OperatorPolicy] = [:]

    /// What the file lists beside the manifests, by main plugin.
    package var operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>] {
        policies.mapValues { Set($0.extensions.map(\.value)) }.filter { !$0.value.isEmpty }
    }

    /// Plugins are told some of these, and stand in another folder than the host.
    mutating func makePathsAbsolute() {
        func absolute(_ path: String) -> String { URL(fileURLWithPath: path).path }
        operatorManifests = absolute(operatorManifests)
        packageManifests = absolute(packageManifests)
        pluginFolder = absolute(pluginFolder)
        stateFolder = absolute(stateFolder)
        controlSocket = absolute(controlSocket)
        runner = runner.map(absolute)
        cgroup = cgroup.map { $0 == "none" ? $0 : absolute($0) }
    }

    package init(paths: HostPaths, processors: Int) {
        operatorManifests = paths.operatorManifests
        packageManifests = paths.packageManifests
        pluginFolder = paths.pluginFolder
        stateFolder = paths.stateFolder
        controlSocket = paths.controlSocket
        scheduling.backgroundLaunches = 2 * processors
        scheduling.eventLaunches = 2 * processors
        scheduling.continuedLaunches = 2 * processors
    }
}
