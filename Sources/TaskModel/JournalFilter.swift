// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Which journal entries somebody wants to see: those that fit all of what is given. Says nothing about how many.
package struct JournalFilter: Hashable, Sendable {
    package var plugin: PluginIdentifier?
    package var launch: LaunchNumber?
    /// A task identifier, or an event's name.
    package var label: String?
    package var event: JournalEntry.Event?
    package var blame: Blame?
    /// Not written before this instant, by the clock as it stood then.
    package var since: WallTime?

    package init(
        plugin: PluginIdentifier? = nil,
        launch: LaunchNumber? = nil,
        label: String? = nil,
        event: JournalEntry.Event? = nil,
        blame: Blame? = nil,
        since: WallTime? = nil
    ) {
        self.plugin = plugin
        self.launch = launch
        self.label = label
        self.event = event
        self.blame = blame
        self.since = since
    }
}
