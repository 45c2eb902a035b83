// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// A deferred step of work on one plugin or lane, caused by an event that concerns many plugins.
enum Chore: Hashable, Sendable {
    /// The plugin was installed, changed or removed.
    case look(PluginIdentifier)
    case consider(PluginIdentifier, Lane)
    /// Its times were computed by a clock that has since been set back.
    case reckonAnew(PluginIdentifier)
    /// More plugins wait for capacity than one event evaluates.
    case fillCapacity(Lane)
}

/// The chores in order of arrival, each once. Each event processes a limited number, so that no event takes long.
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
    /// - Returns: whether it was there.
    mutating func take(_ chore: Chore) -> Bool { known.remove(chore) != nil }
}
