// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// A deferred step of work on one plugin or lane, caused by an event that concerns many plugins.
enum Chore: Hashable, Sendable {
    /// A plugin was installed, changed or removed, and is processed again.
    case evaluation(PluginIdentifier)
    case consider(PluginIdentifier, Lane)
    /// The times of the plugin were computed before the wall clock was set back, and are recomputed.
    case reckonAnew(PluginIdentifier)
    /// Capacity of the lane is free, but more plugins wait for it than one event evaluates.
    case fillCapacity(Lane)
}

/// The chores in order of arrival, each at most once. One event processes a limited number, so that no event takes
/// long.
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

    /// Takes a chore out before its turn.
    ///
    /// - Returns: whether the chore was queued.
    mutating func take(_ chore: Chore) -> Bool { known.remove(chore) != nil }
}
