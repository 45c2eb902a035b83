// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Conditions with fixed values. The configuration fixes values for the lifetime of the host; a user fixes values with
/// `simulate conditions` until the user resets them. Sensors measure all other conditions.
package struct ScriptedConditions: Hashable, Sendable {
    package var values: [Condition: Bool]
    /// Fixed locks of containers: whether the container of a main plugin is locked.
    package var lockedContainers: [PluginIdentifier: Bool]

    package init(_ values: [Condition: Bool] = [:], lockedContainers: [PluginIdentifier: Bool] = [:]) {
        self.values = values
        self.lockedContainers = lockedContainers
    }
}
