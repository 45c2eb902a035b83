// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// A chore: a deferred step of work on one plugin or lane. An event that concerns many plugins is processed in such
/// steps.
enum Chore: Hashable, Sendable {
    /// The record, the schedules and the work of a plugin are processed, because it was installed, changed, removed or
    /// loaded.
    case evaluation(PluginIdentifier)
    case consider(PluginIdentifier, Lane)
    /// The times of the plugin are recomputed, because the wall clock was set back after their computation.
    case reckonAnew(PluginIdentifier)
    /// Capacity of the lane is free, but one event cannot evaluate all plugins that wait for it.
    case fillCapacity(Lane)
}

/// The waiting chores in order of arrival, each at most once. One event processes a limited number of chores, so that
/// no event takes long.
struct Backlog: Sendable {
    private var chores = Deque<Chore>()
    private var known: Set<Chore> = []

    var isEmpty: Bool { known.isEmpty }

    mutating func add(_ chore: Chore) {
        if known.insert(chore).inserted { chores.append(chore) }
    }

    mutating func next() -> Chore? {
        while let chore = chores.popFirst() {
            if known.remove(chore) != nil { return chore }
        }
        return nil
    }

    /// Removes a chore before its turn.
    ///
    /// - Returns: whether the chore was waiting.
    mutating func take(_ chore: Chore) -> Bool { known.remove(chore) != nil }
}
