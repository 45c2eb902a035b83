// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A position in the list of waiting work, which is ordered by plugin identifier, then by submission number.
///
/// The work at the position may be gone: the work after which a page begins may have started in the meantime.
package struct WorkCursor: Hashable, Comparable, Sendable {
    package let plugin: PluginIdentifier
    package let number: SubmissionNumber

    package init(plugin: PluginIdentifier, number: SubmissionNumber) {
        self.plugin = plugin
        self.number = number
    }

    /// The position after all waiting work of `plugin`.
    package static func end(of plugin: PluginIdentifier) -> Self {
        Self(plugin: plugin, number: SubmissionNumber(rawValue: .max))
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.plugin, left.number) < (right.plugin, right.number)
    }
}
