// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A filter of journal entries: an entry passes when it matches every field that is set. The number of entries is not
/// part of it.
package struct JournalFilter: Hashable, Sendable {
    package var plugin: PluginIdentifier?
    package var launch: LaunchNumber?
    /// A task identifier, or the name of an event.
    package var label: String?
    package var event: JournalEntry.Event?
    package var blame: Blame?
    /// Earliest time of the entries, by the clock at the time of writing.
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
