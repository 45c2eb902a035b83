// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Whether an app may run in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// Background execution is not permitted on this system: the process runs outside of a host.
    case restricted = 0
    /// A user has disabled background execution of this app. No plugin sees it: such a plugin is not started.
    case denied = 1
    /// Background execution is permitted.
    case available = 2
}
