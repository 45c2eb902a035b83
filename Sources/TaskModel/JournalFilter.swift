// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A filter of journal entries. An entry passes when it matches every field that is set. The maximum number of entries
/// is not part of the filter.
package struct JournalFilter: Hashable, Sendable {
    package var plugin: PluginIdentifier?
    package var launch: LaunchNumber?
    /// The task identifier of the entries, or the name of an event; nil for any.
    package var label: String?
    /// The events of the entries; empty for every event.
    package var events: Set<JournalEntry.Event>
    package var blame: Blame?
    /// Earliest time of the entries, on the wall clock of the machine when each entry was written; nil for no limit.
    package var since: WallTime?
    /// Whether only entries with a claim pass.
    package var hasClaim: Bool

    package init(
        plugin: PluginIdentifier? = nil,
        launch: LaunchNumber? = nil,
        label: String? = nil,
        events: Set<JournalEntry.Event> = [],
        blame: Blame? = nil,
        since: WallTime? = nil,
        hasClaim: Bool = false
    ) {
        self.plugin = plugin
        self.launch = launch
        self.label = label
        self.events = events
        self.blame = blame
        self.since = since
        self.hasClaim = hasClaim
    }
}
