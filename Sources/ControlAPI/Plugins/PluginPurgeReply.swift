// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// `DELETE /v1/plugins/{identifier}`: what a removed plugin had pending is dropped, and its container is gone.
package struct PluginPurgeReply: Codable, Hashable, Sendable {
    package let plugin: String
    /// Requests and events that were pending.
    package let dropped: Int
    /// Whether it had a container.
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
