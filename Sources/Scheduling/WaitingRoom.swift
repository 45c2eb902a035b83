// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Plugins whose next launch waits for a place in a lane.
struct WaitingRoom: Sendable {
    private var waiting: [(plugin: PluginIdentifier, since: MonotonicTime)] = []

    mutating func enter(_ plugin: PluginIdentifier, at now: MonotonicTime) {
        if !waiting.contains(where: { $0.plugin == plugin }) { waiting.append((plugin, now)) }
    }

    /// Who waited longer than `patience` comes first, then whom people use most, then who came first.
    mutating func next(at now: MonotonicTime, patience: Duration?, use: (PluginIdentifier) -> Int64)
        -> PluginIdentifier?
    {
        guard let first = waiting.indices.first else { return nil }
        guard let patience, now - waiting[first].since < patience else { return waiting.removeFirst().plugin }
        var best = first
        for index in waiting.indices where use(waiting[index].plugin) > use(waiting[best].plugin) { best = index }
        return waiting.remove(at: best).plugin
    }
}
