// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import TaskModel

/// What is to be looked at again, and when, on either clock. Entries are not sought out when they mean nothing any more:
/// they go when they have come to the front.
struct Agenda: Sendable {
    enum WallAlarm: Hashable, Sendable {
        case work(PluginIdentifier, SubmissionNumber, TaskIdentifier?)
        case removedPlugin(PluginIdentifier)
    }

    enum MonotonicAlarm: Hashable, Sendable {
        case launch(LaunchNumber)
        /// Stopping has taken long enough.
        case stop
        case plugin(PluginIdentifier, Lane)
        case care(PluginIdentifier)
        /// The wall clock has said for a while that a removed plugin's time is over.
        case removedPlugin(PluginIdentifier)
        case note(JournalEntry)
    }

    private struct Entry<Time: Comparable & Sendable, Alarm: Sendable>: Comparable, Sendable {
        let time: Time
        let alarm: Alarm
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
        static func == (left: Self, right: Self) -> Bool { left.time == right.time }
    }

    private var wall = Heap<Entry<WallTime, WallAlarm>>()
    private var monotonic = Heap<Entry<MonotonicTime, MonotonicAlarm>>()

    var firstWall: (alarm: WallAlarm, time: WallTime)? { wall.min.map { ($0.alarm, $0.time) } }
    var firstMonotonic: (alarm: MonotonicAlarm, time: MonotonicTime)? { monotonic.min.map { ($0.alarm, $0.time) } }
    var wallCount: Int { wall.count }

    mutating func add(_ alarm: WallAlarm, at time: WallTime) { wall.insert(Entry(time: time, alarm: alarm)) }

    mutating func add(_ alarm: MonotonicAlarm, at time: MonotonicTime) {
        monotonic.insert(Entry(time: time, alarm: alarm))
    }

    mutating func popWall(upTo now: WallTime) -> WallAlarm? {
        guard let first = wall.min, first.time <= now else { return nil }
        return wall.removeMin().alarm
    }

    mutating func popMonotonic(upTo now: MonotonicTime) -> MonotonicAlarm? {
        guard let first = monotonic.min, first.time <= now else { return nil }
        return monotonic.removeMin().alarm
    }

    mutating func dropFirstWall() { _ = wall.popMin() }
    mutating func dropFirstMonotonic() { _ = monotonic.popMin() }

    /// Drops the wall alarms that no longer mean anything, once they outnumber those that do.
    mutating func discardWall(where isStale: (WallAlarm) -> Bool) {
        wall = Heap(wall.unordered.filter { !isStale($0.alarm) })
    }
}
