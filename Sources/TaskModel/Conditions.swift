// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// State of the machine on which decisions depend. The sensors have already compared the measurements with their
/// thresholds.
package struct Conditions: Hashable, Sendable {
    /// The conditions that hold.
    package private(set) var held: MachineConditions = []
    /// Whether any condition that delays work and is sampled on demand has no sample yet
    /// (`Condition.isAwaitedTrouble`). The values of the conditions without a sample are meaningless.
    package var isUseUnknown: Bool
    /// Whether the container of each main plugin is locked or not mounted. A container without an entry was not sampled
    /// or has no sensor, and counts neither as readable nor as locked.
    package var containerLocks: [PluginIdentifier: Bool]

    package init(
        _ conditions: some Sequence<Condition>,
        isUseUnknown: Bool = false,
        containerLocks: [PluginIdentifier: Bool] = [:]
    ) {
        self.isUseUnknown = isUseUnknown
        self.containerLocks = containerLocks
        for condition in conditions { self[condition] = true }
    }

    /// Whether a condition holds.
    package subscript(condition: Condition) -> Bool {
        get { held.contains(MachineConditions(condition)) }
        set {
            if newValue { held.insert(MachineConditions(condition)) } else { held.remove(MachineConditions(condition)) }
        }
    }

    /// The conditions whose values differ between the two states. `containers` and `firstSample` stand for changes of
    /// `containerLocks` and of `isUseUnknown`.
    package func changes(since old: Conditions) -> MachineConditions {
        var changes = held.symmetricDifference(old.held)
        if containerLocks != old.containerLocks { changes.insert(.containers) }
        if isUseUnknown != old.isUseUnknown { changes.insert(.firstSample) }
        return changes
    }
}

// Named access to the conditions that decisions use.
extension Conditions {
    package var isOnExternalPower: Bool {
        get { self[.externalPower] }
        set { self[.externalPower] = newValue }
    }

    package var hasNetwork: Bool {
        get { self[.network] }
        set { self[.network] = newValue }
    }

    /// Whether load and pressure are low and no user session is active (C16).
    package var isIdle: Bool {
        get { self[.idle] }
        set { self[.idle] = newValue }
    }

    /// Whether the processors are busy with processes other than the host's launches.
    package var isLoadHigh: Bool {
        get { self[.highLoad] }
        set { self[.highLoad] = newValue }
    }

    package var isMemoryLow: Bool {
        get { self[.lowMemory] }
        set { self[.lowMemory] = newValue }
    }

    package var isHot: Bool {
        get { self[.hot] }
        set { self[.hot] = newValue }
    }

    /// The resources that continued tasks can request on this machine.
    package var resources: TaskResources {
        get { self[.gpu] ? .gpu : [] }
        set { self[.gpu] = newValue.contains(.gpu) }
    }

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
        self.init([], isUseUnknown: isUseUnknown, containerLocks: containerLocks)
        self.isOnExternalPower = isOnExternalPower
        self.hasNetwork = hasNetwork
        self.isIdle = isIdle
        self.isLoadHigh = isLoadHigh
        self.isMemoryLow = isMemoryLow
        self.isHot = isHot
        self.resources = resources
    }
}
