// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Conditions of the machine that work can wait for.
struct MachineConditions: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let externalPower = MachineConditions(rawValue: 1)
    static let network = MachineConditions(rawValue: 2)
    static let containers = MachineConditions(rawValue: 4)
    static let resources = MachineConditions(rawValue: 8)
    static let use = MachineConditions(rawValue: 16)
    static let memory = MachineConditions(rawValue: 32)
    static let heat = MachineConditions(rawValue: 64)

    static let each: [MachineConditions] = [.externalPower, .network, .containers, .resources, .use, .memory, .heat]
}

extension Reason {
    /// The condition whose change may end the reason; none for reasons that are not the machine's.
    var conditions: MachineConditions {
        switch self {
        case .externalPower: .externalPower
        case .network: .network
        case .containerLocked: .containers
        case .resourcesMissing: .resources
        case .useUnknown, .notIdle, .highLoad: .use
        case .memoryPressure: .memory
        case .heat: .heat
        default: []
        }
    }
}

extension WorkClass {
    /// The conditions that decide whether its work may run, beside those that it waits for at the moment.
    var conditions: MachineConditions {
        if kind == .event { return [] }
        var conditions: MachineConditions = [.use, .memory, .heat]
        if requiresExternalPower { conditions.insert(.externalPower) }
        if requiresNetwork { conditions.insert(.network) }
        if kind == .healthResearch, protection != .none { conditions.insert(.containers) }
        if !resources.isEmpty { conditions.insert(.resources) }
        return conditions
    }
}

extension Conditions {
    /// What differs, as far as work can wait for it.
    func changes(since old: Conditions) -> MachineConditions {
        var changes: MachineConditions = []
        if isOnExternalPower != old.isOnExternalPower { changes.insert(.externalPower) }
        if hasNetwork != old.hasNetwork { changes.insert(.network) }
        if containerLocks != old.containerLocks { changes.insert(.containers) }
        if resources != old.resources { changes.insert(.resources) }
        if (isIdle, isLoadHigh, isUseUnknown) != (old.isIdle, old.isLoadHigh, old.isUseUnknown) { changes.insert(.use) }
        if isMemoryLow != old.isMemoryLow { changes.insert(.memory) }
        if isHot != old.isHot { changes.insert(.heat) }
        return changes
    }
}

/// Lanes of plugins whose work waits for the machine, by the conditions that it waits for.
struct ConditionWaiters: Sendable {
    struct Waiter: Hashable, Comparable, Sendable {
        let plugin: PluginIdentifier
        let lane: Lane
        static func < (left: Self, right: Self) -> Bool {
            (left.plugin, left.lane.rawValue) < (right.plugin, right.lane.rawValue)
        }
    }

    private var waiters: [MachineConditions: Set<Waiter>] = [:]
    private var conditions: [Waiter: MachineConditions] = [:]

    var isEmpty: Bool { conditions.isEmpty }

    /// The waiter waits for these conditions from now on, and for no others.
    mutating func set(_ new: MachineConditions, for waiter: Waiter) {
        let old = conditions[waiter] ?? []
        if old == new { return }
        conditions[waiter] = new.isEmpty ? nil : new
        for condition in MachineConditions.each {
            if new.contains(condition), !old.contains(condition) { waiters[condition, default: []].insert(waiter) }
            if old.contains(condition), !new.contains(condition) { waiters[condition]?.remove(waiter) }
        }
    }

    /// Waiters that wait for one of the conditions, in the order of their names.
    func waiting(for changed: MachineConditions) -> [Waiter] {
        var found: Set<Waiter> = []
        for condition in MachineConditions.each where changed.contains(condition) {
            found.formUnion(waiters[condition] ?? [])
        }
        return found.sorted()
    }
}
