// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// Something that an event concerning many plugins has made due.
enum Chore: Hashable, Sendable {
    /// It has come, changed or gone.
    case look(PluginIdentifier)
    case consider(PluginIdentifier, Lane)
    /// Its times were reckoned by a clock that was set back since.
    case reckonAnew(PluginIdentifier)
    /// More plugins wait for capacity than one event considers.
    case fillCapacity(Lane)
}

/// Chores in the order of their arrival, each once. Each event works off some of them, so that none takes long.
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
