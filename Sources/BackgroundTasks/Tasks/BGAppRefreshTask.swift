// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A short task that refreshes the plugin's content.
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}
