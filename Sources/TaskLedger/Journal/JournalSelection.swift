// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Which journal entries to read, and from which end.
package struct JournalSelection: Hashable, Sendable {
    /// Only entries with a higher number.
    package var after: JournalNumber?
    package var plugin: PluginIdentifier?
    package var launch: LaunchNumber?
    /// A task identifier, or an event's name.
    package var label: String?
    package var newestFirst: Bool
    package var limit: Int

    package init(
        after: JournalNumber? = nil,
        plugin: PluginIdentifier? = nil,
        launch: LaunchNumber? = nil,
        label: String? = nil,
        newestFirst: Bool = false,
        limit: Int
    ) {
        self.after = after
        self.plugin = plugin
        self.launch = launch
        self.label = label
        self.newestFirst = newestFirst
        self.limit = limit
    }
}
