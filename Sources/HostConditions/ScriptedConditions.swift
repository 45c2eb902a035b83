// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Conditions that are said rather than measured: by the configuration, which holds as long as the host does, or by a
/// person, until it is taken back. What it does not name is left to the sensors.
package struct ScriptedConditions: Hashable, Sendable {
    package var values: [Condition: Bool]
    /// Whether the container of a main plugin is locked.
    package var lockedContainers: [PluginIdentifier: Bool]

    package init(_ values: [Condition: Bool] = [:], lockedContainers: [PluginIdentifier: Bool] = [:]) {
        self.values = values
        self.lockedContainers = lockedContainers
    }
}
