// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A short task that brings the plugin's content up to date.
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}
