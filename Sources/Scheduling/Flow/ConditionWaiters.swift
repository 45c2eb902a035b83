// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension WorkClass {
    /// The conditions that may block work of this class under some configuration, whether or not they block it now. The
    /// set may include conditions without effect on the class.
    var conditions: MachineConditions {
        if kind == .event { return [] }
        var conditions = MachineConditions.firstSample
        for condition in Condition.all where condition.concerns(self) {
            conditions.insert(MachineConditions(condition))
        }
        if kind == .healthResearch, protection != .none { conditions.insert(.containers) }
        return conditions
    }
}

/// The lanes of plugins whose work waits for conditions, indexed by these conditions.
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

    /// Replaces the conditions that a waiter, a lane of a plugin, waits for. An empty set removes the waiter.
    mutating func set(_ new: MachineConditions, for waiter: Waiter) {
        let old = conditions[waiter] ?? []
        if old == new { return }
        conditions[waiter] = new.isEmpty ? nil : new
        for condition in MachineConditions.each {
            if new.contains(condition), !old.contains(condition) { waiters[condition, default: []].insert(waiter) }
            if old.contains(condition), !new.contains(condition) { waiters[condition]?.remove(waiter) }
        }
    }

    /// The lanes to evaluate again after a change of conditions, ordered by plugin and lane.
    func waiting(for changed: MachineConditions) -> [Waiter] {
        var found: Set<Waiter> = []
        for condition in MachineConditions.each where changed.contains(condition) {
            found.formUnion(waiters[condition] ?? [])
        }
        return found.sorted()
    }
}
