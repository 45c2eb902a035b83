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
    /// Main plugins whose container is not mounted or is locked.
    package var lockedContainers: Set<PluginIdentifier>
    /// What a continued task may ask for on this machine.
    package var resources: TaskResources

    package init(
        isOnExternalPower: Bool,
        hasNetwork: Bool,
        isIdle: Bool = true,
        isLoadHigh: Bool = false,
        isMemoryLow: Bool = false,
        isHot: Bool = false,
        lockedContainers: Set<PluginIdentifier> = [],
        resources: TaskResources = []
    ) {
        self.isOnExternalPower = isOnExternalPower
        self.hasNetwork = hasNetwork
        self.isIdle = isIdle
        self.isLoadHigh = isLoadHigh
        self.isMemoryLow = isMemoryLow
        self.isHot = isHot
        self.lockedContainers = lockedContainers
        self.resources = resources
    }
}
