// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The uses of plugins by users: requests of users, launches at a user's request, continued tasks, triggers. A use costs
// at most one change of the ledger per hour and plugin.
extension Scheduler {
    /// Notes a use of a main plugin in the present hour of the week, in the time zone of the machine.
    mutating func noteUse(of plugin: PluginIdentifier, at now: Moment) {
        endRelaunchRow(of: plugin, at: now)
        guard configuration.policies.learnsUse else { return }
        let hour = LearnedUse.hour(at: now.wall, in: machineZone)
        if uses[plugin] == nil {
            uses[plugin] = UseHistogram(firstUse: hour)
        } else if uses[plugin]?.note(hour) != true {
            return
        }
        guard let noted = uses[plugin] else { return }
        keep([.setUses(plugin, noted)])
        // The use may shorten the spacing of the plugin's refresh requests.
        backlog.add(.consider(plugin, .background))
    }

    /// The learned use of a plugin; nil without a use, and where the host does not learn use.
    func learnedUse(of plugin: PluginIdentifier) -> LearnedUse? {
        guard configuration.policies.learnsUse, let histogram = uses[plugin] else { return nil }
        return LearnedUse(histogram, in: machineZone)
    }

    /// Queues the evaluation of the plugins with uses, because the time zone of the machine has changed and their uses
    /// are expected at other times.
    mutating func considerUsesAnew() {
        guard configuration.policies.learnsUse else { return }
        for plugin in uses.keys.sorted() where plugins.contains(plugin) { backlog.add(.consider(plugin, .background)) }
    }

    private var machineZone: TimeZoneRules { timeZones[.machine] ?? .utc }
}
