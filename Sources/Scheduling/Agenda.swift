// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import TaskModel

/// What is to be looked at again, and when, on either clock. Of each alarm the earliest time counts, until it rings.
struct Agenda: Sendable {
    enum WallAlarm: Hashable, Sendable {
        /// The own time of a request comes.
        case requests(PluginIdentifier)
        case plugin(PluginIdentifier, Lane)
        case removedPlugin(PluginIdentifier)
        case occasion(PluginIdentifier, TaskIdentifier)
        case fetch(PluginIdentifier)
    }

    enum MonotonicAlarm: Hashable, Sendable {
        case launch(LaunchNumber)
        /// Stopping has taken long enough.
        case stop
        case plugin(PluginIdentifier, Lane)
        /// What the ledger remembers of a plugin may have to be changed.
        case memory(PluginIdentifier)
        /// The wait history of a plugin has stood for long enough to be written.
        case waits(PluginIdentifier)
        /// Changes that could not be written are tried again.
        case keep
        /// Memory pressure may end the next continued task.
        case pressure
        /// The wall clock has said for a while that a removed plugin's time is over.
        case removedPlugin(PluginIdentifier)
        /// Plugins that could not be loaded are tried again.
        case load
        /// More is to be looked at than one event may take.
        case backlog
    }

    private var wall = AlarmHeap<WallTime, WallAlarm>()
    private var monotonic = AlarmHeap<MonotonicTime, MonotonicAlarm>()

    var firstWall: (alarm: WallAlarm, time: WallTime)? { wall.first }
    var firstMonotonic: (alarm: MonotonicAlarm, time: MonotonicTime)? { monotonic.first }

    /// Unless it is there already for that time or an earlier one.
    mutating func add(_ alarm: WallAlarm, at time: WallTime) { wall.add(alarm, at: time) }
    mutating func add(_ alarm: MonotonicAlarm, at time: MonotonicTime) { monotonic.add(alarm, at: time) }

    mutating func popWall(upTo now: WallTime) -> WallAlarm? {
        guard let first = wall.first, first.time <= now else { return nil }
        wall.removeFirst()
        return first.alarm
    }

    mutating func popMonotonic(upTo now: MonotonicTime) -> MonotonicAlarm? {
        guard let first = monotonic.first, first.time <= now else { return nil }
        monotonic.removeFirst()
        return first.alarm
    }

    mutating func dropFirstWall() { wall.removeFirst() }
    mutating func dropFirstMonotonic() { monotonic.removeFirst() }
}

/// Alarms by time. The front is always one that counts: entries that an earlier time replaced go as they come there, or
/// when they outnumber the others.
private struct AlarmHeap<Time: Comparable & Sendable, Alarm: Hashable & Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        let time: Time
        let alarm: Alarm
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
        static func == (left: Self, right: Self) -> Bool { left.time == right.time }
    }

    private var heap = Heap<Entry>()
    private var times: [Alarm: Time] = [:]

    var first: (alarm: Alarm, time: Time)? { heap.min.map { ($0.alarm, $0.time) } }

    mutating func add(_ alarm: Alarm, at time: Time) {
        if let set = times[alarm], set <= time { return }
        times[alarm] = time
        heap.insert(Entry(time: time, alarm: alarm))
        if heap.count > 2 * times.count + 64 {
            heap = Heap(heap.unordered.filter { times[$0.alarm] == $0.time })
        }
    }

    mutating func removeFirst() {
        guard let first = heap.popMin() else { return }
        times[first.alarm] = nil
        while let next = heap.min, times[next.alarm] != next.time { heap.removeMin() }
    }
}
