// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Conditions with fixed values: set by the configuration for the lifetime of the host, or by a user until the script
/// is reset. Sensors measure all others.
package struct ScriptedConditions: Hashable, Sendable {
    package var values: [Condition: Bool]
    /// Fixed locks of containers: whether the container of a main plugin is locked.
    package var lockedContainers: [PluginIdentifier: Bool]

    package init(_ values: [Condition: Bool] = [:], lockedContainers: [PluginIdentifier: Bool] = [:]) {
        self.values = values
        self.lockedContainers = lockedContainers
    }
}
