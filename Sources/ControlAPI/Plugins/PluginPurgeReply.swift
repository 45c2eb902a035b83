// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `DELETE /v1/plugins/{identifier}`: the pending work of a removed plugin is dropped, and its container
/// is deleted.
package struct PluginPurgeReply: Codable, Hashable, Sendable {
    package let plugin: String
    /// Number of pending requests and waiting events that were dropped.
    package let dropped: Int
    /// Whether a container was deleted: the present one of the plugin, or one left by an earlier purge.
    package let hadContainer: Bool

    package init(_ plugin: PluginIdentifier, dropped: Int, hadContainer: Bool) {
        self.plugin = plugin.text
        self.dropped = dropped
        self.hadContainer = hadContainer
    }

    private enum CodingKeys: String, CodingKey {
        case plugin, dropped
        case hadContainer = "had_container"
    }
}
