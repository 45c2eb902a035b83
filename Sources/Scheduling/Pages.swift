// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Which waiting work a page lists.
package struct WorkFilter: Hashable, Sendable {
    /// The plugin that will be launched; nil for every plugin.
    package var plugin: PluginIdentifier?
    /// Empty for requests of every kind and events.
    package var kinds: Set<TaskKind>

    package init(plugin: PluginIdentifier? = nil, kinds: Set<TaskKind> = []) {
        self.plugin = plugin
        self.kinds = kinds
    }

    /// Whether work of `kind` passes the filter, whatever its plugin.
    package func includes(_ kind: TaskKind) -> Bool { kinds.isEmpty || kinds.contains(kind) }
}

/// A bounded stretch of the waiting requests and events, by plugin identifier, then by submission number.
package struct WaitingPage: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let work: PendingWork
        /// Empty when the work may run now; otherwise in the order in which a change is proposed.
        package let reasons: [Reason]

        package init(work: PendingWork, reasons: [Reason]) {
            self.work = work
            self.reasons = reasons
        }
    }

    package let items: [Item]
    /// Where the next page begins; nil at the end of the list. A page may have a `next` and fewer items than its limit.
    package let next: WorkCursor?
    /// Whether work of plugins that are not loaded yet is missing.
    package let isPartial: Bool

    package init(items: [Item], next: WorkCursor?, isPartial: Bool) {
        self.items = items
        self.next = next
        self.isPartial = isPartial
    }
}

/// One installed plugin with the amount of its work.
package struct PluginSummary: Hashable, Sendable {
    package let entry: PluginEntry
    /// Numbers of pending requests, by the kind whose limit they count against. A kind without requests may be absent.
    /// Empty for an extension, whose requests belong to its main plugin.
    package let pendingByLimit: [TaskKind: Int]
    /// Number of pending requests of every kind; 0 for an extension.
    package let pendingCount: Int
    /// Number of events that wait for the plugin.
    package let eventCount: Int
    /// Number of tasks that are running.
    package let runningCount: Int
    /// Whether a launch of the plugin runs. An assertion can hold a launch in which no task runs.
    package let hasLaunch: Bool

    package init(
        entry: PluginEntry,
        pendingByLimit: [TaskKind: Int],
        pendingCount: Int,
        eventCount: Int,
        runningCount: Int,
        hasLaunch: Bool
    ) {
        self.entry = entry
        self.pendingByLimit = pendingByLimit
        self.pendingCount = pendingCount
        self.eventCount = eventCount
        self.runningCount = runningCount
        self.hasLaunch = hasLaunch
    }
}

/// A bounded stretch of the installed plugins, by identifier.
package struct PluginPage: Hashable, Sendable {
    package let plugins: [PluginSummary]
    /// The identifier that the next page begins after; nil at the end of the list.
    package let next: PluginIdentifier?
    /// Whether plugins that are not loaded yet are missing.
    package let isPartial: Bool

    package init(plugins: [PluginSummary], next: PluginIdentifier?, isPartial: Bool) {
        self.plugins = plugins
        self.next = next
        self.isPartial = isPartial
    }
}
