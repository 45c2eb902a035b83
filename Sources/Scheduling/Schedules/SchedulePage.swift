// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A plugin and a task identifier that the configuration of the plugin puts on a schedule.
package struct ScheduledTask: Hashable, Comparable, Sendable {
    package let plugin: PluginIdentifier
    package let identifier: TaskIdentifier

    package init(plugin: PluginIdentifier, identifier: TaskIdentifier) {
        self.plugin = plugin
        self.identifier = identifier
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.plugin, left.identifier) < (right.plugin, right.identifier)
    }
}

/// One schedule of the configuration with its present state.
package struct ScheduleListing: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// No request of the identifier is pending or running: the host submits one at the next occurrence.
        case idle
        case pending
        case running
        /// Each occurrence is refused or cannot run; `obstacle` is the reason.
        case blocked
    }

    package let task: ScheduledTask
    package let kind: TaskKind
    /// The interval or the calendar rule, in the notation of the configuration.
    package let rhythm: String
    /// Time of the next submission, including the stagger. Nil while the plugin is not installed, and when no next
    /// time is known.
    package let next: WallTime?
    package let state: State
    /// The reason that blocks every occurrence: the plugin is missing, refused, disabled or paused, or its manifest
    /// does not permit the identifier or the kind. Nil without one.
    package let obstacle: Reason?
    /// Start of the launch in which the task runs now; nil while it is not running.
    package let runningSince: WallTime?
}

/// One page of the schedules, ordered by plugin, then by identifier.
package struct SchedulePage: Hashable, Sendable {
    package let listings: [ScheduleListing]
    /// The last schedule of the page, after which the next page begins; nil at the end of the list.
    package let next: ScheduledTask?
    /// Whether the plugins of some schedules are not loaded yet.
    package let isPartial: Bool
}

// Lists of schedules. Changes nothing.
extension Scheduler {
    /// The next schedules after `task`, at most `limit`: of one plugin or, when `plugin` is nil, of all.
    ///
    /// - Parameter limit: at least 1.
    package func schedulePage(
        after task: ScheduledTask?,
        limit: Int,
        of plugin: PluginIdentifier? = nil
    ) -> SchedulePage {
        let all = calendar.all
        var start = 0
        if let task {
            start = all.partitionIndex { $0 > task }
        } else if let plugin {
            start = all.partitionIndex { $0.plugin >= plugin }
        }
        let rest = all[start...].prefix(limit + 1).prefix { plugin == nil || $0.plugin == plugin }
        let page = rest.prefix(limit)
        return SchedulePage(
            listings: page.compactMap(listing),
            next: rest.count > limit ? page.last : nil,
            isPartial: loading.isPartial
        )
    }

    /// The present state of a schedule; nil when the configuration has no such schedule.
    func listing(of task: ScheduledTask) -> ScheduleListing? {
        let (plugin, identifier) = (task.plugin, task.identifier)
        guard let schedule = schedule(of: identifier, plugin) else { return nil }
        let isInstalled = plugins.contains(plugin) && plugins[plugin].entry != nil
        let obstacle = obstacle(to: schedule, of: task)
        let running = launches.numbers(running: identifier).compactMap(launches.find)
            .first { $0.plugin == plugin }
        let isPending = plugins.contains(plugin) && plugins[plugin].requests.expectedNumber(identifier) != nil
        return ScheduleListing(
            task: task,
            kind: schedule.kind,
            rhythm: schedule.rhythm.text(in: timeZones),
            next: isInstalled ? nextOccurrence(of: identifier, of: plugin) : nil,
            state: running != nil ? .running : isPending ? .pending : obstacle != nil ? .blocked : .idle,
            obstacle: obstacle,
            runningSince: running?.plan?.startedAt
        )
    }

    private func obstacle(to schedule: WorkSchedule, of task: ScheduledTask) -> Reason? {
        if let reason = reasons(againstAllOf: task.plugin).first { return reason }
        guard let entry = plugins[task.plugin].entry, let permissions = plugins[task.plugin].requests.permissions
        else { return nil }
        return schedule.refusal(of: task.identifier, by: entry, permissions)
    }
}
