// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import PluginBinary
internal import TaskModel

/// The properties of a host on which the verdict on a manifest depends.
package struct ManifestHost: Hashable, Sendable {
    /// The architecture of the machine, as `uname -m` prints it.
    package let architecture: String
    /// The features that a manifest may require.
    package let features: [String]

    package init(architecture: String, features: [String]) {
        self.architecture = architecture
        self.features = features
    }

    /// A host of this release on this machine.
    package static let current = ManifestHost(architecture: BinarySurvey.machine, features: HostFeatures.all)
}
