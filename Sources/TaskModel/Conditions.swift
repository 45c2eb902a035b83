// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What the machine offers at the moment, as far as a decision can depend on it. Judged already: what was measured, and
/// against which threshold, is for the source to say.
package struct Conditions: Hashable, Sendable {
    package var isOnExternalPower: Bool
    package var hasNetwork: Bool
    /// Load and pressure are low, and nobody is known to be at the machine (C16).
    package var isIdle: Bool
    /// The processors are busy with what is not the host's own work.
    package var isLoadHigh: Bool
    package var isMemoryLow: Bool
    package var isHot: Bool
    /// Nobody has looked how busy and how hot the machine is since somebody waits for it: what is said of both is no answer.
    package var isUseUnknown: Bool
    /// Whether the container of a main plugin is locked or not mounted. Absent until somebody has looked, and where nothing
    /// tells: such a container is not known to be readable, and not known to have been locked either.
    package var containerLocks: [PluginIdentifier: Bool]
    /// What a continued task may ask for on this machine.
    package var resources: TaskResources

    package init(
        isOnExternalPower: Bool,
        hasNetwork: Bool,
        isIdle: Bool = true,
        isLoadHigh: Bool = false,
        isMemoryLow: Bool = false,
        isHot: Bool = false,
        isUseUnknown: Bool = false,
        containerLocks: [PluginIdentifier: Bool] = [:],
        resources: TaskResources = []
    ) {
        self.isOnExternalPower = isOnExternalPower
        self.hasNetwork = hasNetwork
        self.isIdle = isIdle
        self.isLoadHigh = isLoadHigh
        self.isMemoryLow = isMemoryLow
        self.isHot = isHot
        self.isUseUnknown = isUseUnknown
        self.containerLocks = containerLocks
        self.resources = resources
    }
}
