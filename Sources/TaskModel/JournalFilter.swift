// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A filter of journal entries. An entry passes when it matches every field that is set. The maximum number of entries
/// is not part of the filter.
package struct JournalFilter: Hashable, Sendable {
    package var plugin: PluginIdentifier?
    package var launch: LaunchNumber?
    /// The task identifier of the entries, or the name of an event; nil for any.
    package var label: String?
    package var event: JournalEntry.Event?
    package var blame: Blame?
    /// Earliest time of the entries, on the wall clock of the machine when each entry was written; nil for no limit.
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
