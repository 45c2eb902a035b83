// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A pause of one plugin by a user. While it lasts, the pending work of the plugin and of its extensions waits,
/// regardless of its submitter; running launches continue. It survives restarts of the host, and changes of the plugin.
package struct PluginPause: Hashable, Sendable {
    package let since: WallTime
    /// The time at which the pause ends by itself; nil when only a user ends it.
    package let until: WallTime?
    /// The user who paused the plugin; nil when the caller is unknown.
    package let user: CallingUser?

    package init(since: WallTime, until: WallTime? = nil, user: CallingUser? = nil) {
        self.since = since
        self.until = until
        self.user = user
    }
}
