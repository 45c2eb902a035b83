// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// A changed configuration while the host runs.
extension Scheduler {
    /// Applies a changed configuration. Running launches keep the budget and the grace period of their start. The work
    /// of every plugin is evaluated again, in chores.
    ///
    /// - Parameter keys: the changed keys, for the journal.
    mutating func configure(_ new: SchedulingConfiguration, changing keys: [String], at now: Moment) {
        let found = configuration.transfers
        configuration = new
        // The library and the disk are examined at the start of the host.
        configuration.transfers.library = found.library
        configuration.transfers.libraryProblem = found.libraryProblem
        configuration.transfers.diskBytes = found.diskBytes
        calendar = CalendarIndex(new)
        // Known zones keep their rules, which may be newer than those of the start.
        timeZones.entries.merge(new.timeZones.entries) { known, _ in known }
        for plugin in plugins.names() {
            plugins[plugin].setPolicy(new.policy(for: plugin))
            toWatchAnew.insert(plugin)
            backlog.add(.evaluation(plugin))
        }
        for lane in Lane.allCases { backlog.add(.fillCapacity(lane)) }
        let message = "changed keys of the configuration apply from now on: \(keys.joined(separator: ", "))"
        note(
            JournalEntry(at: now.wall, event: .configurationReloaded, plugin: nil, blame: .nobody, message: message)
        )
    }
}
