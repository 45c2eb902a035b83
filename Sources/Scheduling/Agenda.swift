// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import TaskModel

/// What is to be looked at again, and when, on either clock. Entries are not sought out when they mean nothing any more:
/// they go when they have come to the front.
struct Agenda: Sendable {
    enum WallAlarm: Hashable, Sendable {
        case work(PluginIdentifier, SubmissionNumber, TaskIdentifier?)
        case removedPlugin(PluginIdentifier)
        case plugin(PluginIdentifier, Lane)
        case occasion(PluginIdentifier, TaskIdentifier)
        case fetch(PluginIdentifier)
    }

    enum MonotonicAlarm: Hashable, Sendable {
        case launch(LaunchNumber)
        /// Stopping has taken long enough.
        case stop
        case plugin(PluginIdentifier, Lane)
        case care(PluginIdentifier)
        case keep([LedgerChange])
        /// Memory pressure may end the next continued task.
        case pressure
        /// The wall clock has said for a while that a removed plugin's time is over.
        case removedPlugin(PluginIdentifier)
    }

    private struct Entry<Time: Comparable & Sendable, Alarm: Sendable>: Comparable, Sendable {
        let time: Time
        let alarm: Alarm
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
        static func == (left: Self, right: Self) -> Bool { left.time == right.time }
    }

    private var wall = Heap<Entry<WallTime, WallAlarm>>()
    private var monotonic = Heap<Entry<MonotonicTime, MonotonicAlarm>>()
    /// The earliest entry of each alarm that is asked for again and again.
    private var onceOnWall: [WallAlarm: WallTime] = [:]
    private var onceOnMonotonic: [MonotonicAlarm: MonotonicTime] = [:]

    var firstWall: (alarm: WallAlarm, time: WallTime)? { wall.min.map { ($0.alarm, $0.time) } }
    var firstMonotonic: (alarm: MonotonicAlarm, time: MonotonicTime)? { monotonic.min.map { ($0.alarm, $0.time) } }
    var wallCount: Int { wall.count }

    mutating func add(_ alarm: WallAlarm, at time: WallTime) { wall.insert(Entry(time: time, alarm: alarm)) }

    mutating func add(_ alarm: MonotonicAlarm, at time: MonotonicTime) {
        monotonic.insert(Entry(time: time, alarm: alarm))
    }

    /// Unless it is there already for that time or an earlier one.
    mutating func addOnce(_ alarm: WallAlarm, at time: WallTime) {
        if let set = onceOnWall[alarm], set <= time { return }
        onceOnWall[alarm] = time
        add(alarm, at: time)
    }

    mutating func addOnce(_ alarm: MonotonicAlarm, at time: MonotonicTime) {
        if let set = onceOnMonotonic[alarm], set <= time { return }
        onceOnMonotonic[alarm] = time
        add(alarm, at: time)
    }

    mutating func popWall(upTo now: WallTime) -> WallAlarm? {
        guard let first = wall.min, first.time <= now else { return nil }
        return dropFirstWall()
    }

    mutating func popMonotonic(upTo now: MonotonicTime) -> MonotonicAlarm? {
        guard let first = monotonic.min, first.time <= now else { return nil }
        return dropFirstMonotonic()
    }

    @discardableResult
    mutating func dropFirstWall() -> WallAlarm? {
        guard let alarm = wall.popMin()?.alarm else { return nil }
        onceOnWall[alarm] = nil
        return alarm
    }

    @discardableResult
    mutating func dropFirstMonotonic() -> MonotonicAlarm? {
        guard let alarm = monotonic.popMin()?.alarm else { return nil }
        onceOnMonotonic[alarm] = nil
        return alarm
    }

    /// Drops the wall alarms that no longer mean anything, once they outnumber those that do.
    mutating func discardWall(where isStale: (WallAlarm) -> Bool) {
        wall = Heap(wall.unordered.filter { !isStale($0.alarm) })
    }
}
