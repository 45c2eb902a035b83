// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The filter of a page of waiting work.
package struct WorkFilter: Hashable, Sendable {
    /// The plugin to be launched for the work; nil for every plugin.
    package var plugin: PluginIdentifier?
    /// The kinds of the listed work; empty for requests of every kind and events.
    package var kinds: Set<TaskKind>

    package init(plugin: PluginIdentifier? = nil, kinds: Set<TaskKind> = []) {
        self.plugin = plugin
        self.kinds = kinds
    }

    /// Whether work of `kind` passes the filter, whatever its plugin.
    package func includes(_ kind: TaskKind) -> Bool { kinds.isEmpty || kinds.contains(kind) }
}

/// One page of the waiting requests and events, ordered by plugin identifier, then by submission number.
package struct WaitingPage: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let work: PendingWork
        /// The reasons against the work, in the order in which `why` proposes the remedies; empty when the work may run
        /// now.
        package let reasons: [Reason]

        package init(work: PendingWork, reasons: [Reason]) {
            self.work = work
            self.reasons = reasons
        }
    }

    package let items: [Item]
    /// Start of the next page; nil at the end of the list. A page may have a `next` and fewer items than its limit.
    package let next: WorkCursor?
    /// Whether the page may lack work, because the pending work of some plugin is not loaded yet, or an interrupted
    /// task of the previous host is not requeued on disk yet.
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
    /// Counts of pending requests, with interrupted tasks that are being requeued. The key is the kind whose limit the
    /// requests count against; a kind without requests may be absent. Empty for an extension, whose requests belong to
    /// its main plugin.
    package let pendingByLimit: [TaskKind: Int]
    /// Number of pending requests of every kind, with interrupted tasks that are being requeued; 0 for an extension.
    package let pendingCount: Int
    /// Number of events that wait for the plugin, with interrupted ones that are being requeued.
    package let eventCount: Int
    /// Number of unfinished tasks in the running launches of the plugin.
    package let runningCount: Int
    /// Whether a launch of the plugin is running. An assertion can keep a launch open without running tasks.
    package let hasLaunch: Bool
    /// The pause of the plugin; nil when it is not paused.
    package let pause: PluginPause?
    /// Whether a pause of the plugin, or of the main plugin of an extension, blocks its work.
    package let isPaused: Bool

    package init(
        entry: PluginEntry,
        pendingByLimit: [TaskKind: Int],
        pendingCount: Int,
        eventCount: Int,
        runningCount: Int,
        hasLaunch: Bool,
        pause: PluginPause? = nil,
        isPaused: Bool? = nil
    ) {
        self.entry = entry
        self.pendingByLimit = pendingByLimit
        self.pendingCount = pendingCount
        self.eventCount = eventCount
        self.runningCount = runningCount
        self.hasLaunch = hasLaunch
        self.pause = pause
        self.isPaused = isPaused ?? (pause != nil)
    }
}

/// One page of the installed plugins, ordered by identifier.
package struct PluginPage: Hashable, Sendable {
    package let plugins: [PluginSummary]
    /// The last identifier that the page examined, after which the next page begins; nil at the end of the list.
    package let next: PluginIdentifier?
    /// Whether the pending work of some plugin is not loaded yet, or an interrupted task of the previous host is not
    /// requeued on disk yet: the counts of a summary may then be too low.
    package let isPartial: Bool

    package init(plugins: [PluginSummary], next: PluginIdentifier?, isPartial: Bool) {
        self.plugins = plugins
        self.next = next
        self.isPartial = isPartial
    }
}
