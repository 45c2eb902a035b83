// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A short task that refreshes the plugin's content.
open class BGAppRefreshTask: BGTask {}

extension BGAppRefreshTask: @unchecked Sendable {}
