// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The recent use of a plugin whose state was dropped. If the plugin is installed again, this use applies to it, so
/// that reinstalling a plugin does not bypass policies.
struct PluginUse: Sendable {
    let record: PluginRecord
    let cooldownEnd: MonotonicTime?
    let runnerRetry: PluginState.RunnerRetry?

    init(of state: PluginState) {
        (record, cooldownEnd, runnerRetry) = (state.record, state.cooldownEnd, state.runnerRetry)
    }

    /// Whether the use may be dropped: no recent launch counts, and all cooldowns, delays and spacings have ended.
    /// Consecutive overruns are dropped with it.
    func isOver(at now: Moment, _ policies: PolicyConfiguration) -> Bool {
        let ends = [cooldownEnd, runnerRetry?.at].compactMap { $0 }
        return record.dayUse.total(at: now.wall) == 0 && record.uses.total(at: now.wall) == 0
            && ends.allSatisfy { $0 <= now.monotonic }
            && record.ownEnds.allSatisfy { $0.value + (record.spacing(of: $0.key, policies) ?? .zero) <= now.wall }
    }
}

extension Scheduler {
    /// Number of kept `PluginUse` values from which on the scheduler drops the values for which `isOver` is true.
    private static let mostUsesKept = 1_000

    mutating func forget(_ plugin: PluginIdentifier, at now: Moment) {
        let use = PluginUse(of: plugins[plugin])
        plugins.remove(plugin)
        if pushLines[plugin]?.hasSums == false { pushLines[plugin] = nil }
        for lane in Lane.allCases { waiters.set([], for: ConditionWaiters.Waiter(plugin: plugin, lane: lane)) }
        if usesOfUninstalled.count >= Self.mostUsesKept {
            let policies = configuration.policies
            usesOfUninstalled = usesOfUninstalled.filter { !$0.value.isOver(at: now, policies) }
        }
        if !use.isOver(at: now, configuration.policies) { usesOfUninstalled[plugin] = use }
        toWatchAnew.insert(plugin)
    }

    mutating func takeUpUse(of plugin: PluginIdentifier) {
        guard let use = usesOfUninstalled.removeValue(forKey: plugin) else { return }
        plugins[plugin].record = use.record
        plugins[plugin].cooldownEnd = use.cooldownEnd
        plugins[plugin].runnerRetry = use.runnerRetry
    }
}
