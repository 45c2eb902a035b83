// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The launches of the host in one lane, as they count against the launch limit of the lane (C7). A pure rule.
///
/// A launch uses capacity until its tasks and assertions have ended and it stops. The process of a stopping launch may
/// exist for the grace period and the exit time. A stopping launch uses no capacity, so that a plugin that ends slowly
/// delays no other plugin. The number of stopping launches without capacity is bounded by the limit itself: a lane with
/// more stopping launches than its limit counts the excess. A lane therefore has at most twice as many launches as its
/// limit, in addition to the launches that users start above it.
package struct LaneUse: Hashable, Sendable {
    /// Number of launches from the request for their runner until they stop or their end is recorded.
    package var running: Int
    /// Number of stopping launches, until their end is recorded.
    package var stopping: Int

    package init(running: Int = 0, stopping: Int = 0) {
        self.running = running
        self.stopping = stopping
    }

    /// Number of launches that use capacity of a lane with the launch limit `limit`: the running ones, and the stopping
    /// ones above the limit.
    package func used(of limit: Int) -> Int { running + excess(over: limit) }

    package func isUsedUp(_ limit: Int) -> Bool { used(of: limit) >= limit }

    /// The reason against a further launch in the lane; nil while capacity is free.
    package func reason(in lane: Lane, limit: Int) -> Reason? {
        guard isUsedUp(limit) else { return nil }
        return .launchLimit(lane, limit: limit, stopping: excess(over: limit) > 0 ? stopping : 0)
    }

    /// Number of stopping launches that use capacity.
    private func excess(over limit: Int) -> Int { max(0, stopping - limit) }
}
