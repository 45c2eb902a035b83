// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import HeapModule
import TaskModel

/// The plugins whose next launch waits for capacity of a lane.
struct CapacityQueue: Sendable {
    private struct Entry: Comparable, Sendable {
        let use: Int64
        let rank: UInt64
        let plugin: PluginIdentifier
        let since: MonotonicTime
        /// Orders by recent use, the most used plugin first; plugins with equal use by arrival.
        static func < (left: Self, right: Self) -> Bool { (right.use, left.rank) < (left.use, right.rank) }
        static func == (left: Self, right: Self) -> Bool { left.rank == right.rank }
    }

    private var byArrival = Deque<Entry>()
    private var byUse = Heap<Entry>()
    /// The rank of each waiting plugin's current entry: ranks rise in order of arrival. An entry with another rank is
    /// obsolete.
    private var ranks: [PluginIdentifier: UInt64] = [:]
    private var lastRank: UInt64 = 0

    func contains(_ plugin: PluginIdentifier) -> Bool { ranks[plugin] != nil }

    /// The time since which the earliest arrival waits; nil when no plugin waits.
    var waitingSince: MonotonicTime? { byArrival.first { ranks[$0.plugin] == $0.rank }?.since }

    /// Queues a plugin, unless it is already queued.
    ///
    /// - Parameter use: recent use of the plugin by users, as counted in `PluginRecord.uses`.
    mutating func enter(_ plugin: PluginIdentifier, use: @autoclosure () -> Int64, at now: MonotonicTime) {
        if ranks[plugin] != nil { return }
        lastRank += 1
        ranks[plugin] = lastRank
        let entry = Entry(use: use(), rank: lastRank, plugin: plugin, since: now)
        byArrival.append(entry)
        byUse.insert(entry)
    }

    /// Removes and returns the next plugin; nil when none waits. The earliest arrival comes first if it has waited for
    /// `limit`; otherwise the most used plugin comes first.
    ///
    /// - Parameter limit: nil when the earliest arrival always comes first.
    mutating func next(at now: MonotonicTime, limit: Duration?) -> PluginIdentifier? {
        while let first = byArrival.first, ranks[first.plugin] != first.rank { byArrival.removeFirst() }
        while let most = byUse.min, ranks[most.plugin] != most.rank { byUse.removeMin() }
        guard let first = byArrival.first, let most = byUse.min else { return nil }
        let isFirstDue = limit.map { now - first.since >= $0 } ?? true
        let next = isFirstDue ? first : most
        ranks[next.plugin] = nil
        return next.plugin
    }
}
