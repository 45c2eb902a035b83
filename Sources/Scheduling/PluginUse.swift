// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What counts of a plugin that was forgotten should it come back: to be taken out and put back is no way round a policy.
struct PluginUse: Sendable {
    let record: PluginRecord
    let restsUntil: MonotonicTime?
    let runnerRetry: (at: MonotonicTime, message: String)?

    init(of state: PluginState) {
        (record, restsUntil, runnerRetry) = (state.record, state.restsUntil, state.runnerRetry)
    }

    /// Nobody would be kept waiting for it.
    func isOver(at now: Moment) -> Bool {
        let ends = [restsUntil, runnerRetry?.at].compactMap { $0 }
        return record.dayUse.total(at: now.wall) == 0 && record.uses.total(at: now.wall) == 0
            && ends.allSatisfy { $0 <= now.monotonic }
    }
}

extension Scheduler {
    mutating func forget(_ state: PluginState, at now: Moment) {
        plugins[state.identifier] = nil
        usesOfForgotten = usesOfForgotten.filter { !$0.value.isOver(at: now) }
        let use = PluginUse(of: state)
        if !use.isOver(at: now) { usesOfForgotten[state.identifier] = use }
    }

    mutating func takeUpUse(of plugin: PluginIdentifier) {
        guard let use = usesOfForgotten.removeValue(forKey: plugin) else { return }
        plugins[plugin]?.record = use.record
        plugins[plugin]?.restsUntil = use.restsUntil
        plugins[plugin]?.runnerRetry = use.runnerRetry
    }
}
