// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import TaskModel

/// The alarms of the scheduler on both clocks, wall and monotonic. Each alarm keeps only its earliest time, until it
/// fires or is dropped.
struct Agenda: Sendable {
    enum WallAlarm: Hashable, Sendable {
        /// The earliest begin of a request, or the end of its retry delay.
        case requests(PluginIdentifier)
        /// The next deadline of a pending request.
        case deadlines(PluginIdentifier)
        case plugin(PluginIdentifier, Lane)
        case removedPlugin(PluginIdentifier)
        case occurrence(PluginIdentifier, TaskIdentifier)
        case fetch(PluginIdentifier)
        /// The end of the pause of a plugin.
        case pause(PluginIdentifier)
    }

    enum MonotonicAlarm: Hashable, Sendable {
        case launch(LaunchNumber)
        /// The maximum duration of an orderly stop has passed: the stop no longer waits for the ledger.
        case stop
        case plugin(PluginIdentifier, Lane)
        /// The record of a plugin in the ledger is compared with the state of the plugin again, after a failed commit.
        case memory(PluginIdentifier)
        /// Unwritten changes of the wait history of a plugin are due to be written.
        case waits(PluginIdentifier)
        /// The changes in `Scheduler.kept`, whose commit failed, are staged again.
        case keep
        /// Memory pressure may expire the next continued task.
        case pressure
        /// The retention of a removed plugin has been over for `clockDoubt`: the plugin's pending work may be dropped.
        case removedPlugin(PluginIdentifier)
        /// The end of the pause of a plugin is checked again, after a failed commit.
        case pause(PluginIdentifier)
        /// The lapses of a plugin whose commit failed are staged again, or the doubt about its passed deadlines ends.
        case deadlines(PluginIdentifier)
        /// The counted pushes to a plugin get their journal entries.
        case pushLines(PluginIdentifier)
        /// The oldest answers to pushes of the plugin are dropped.
        case pushAnswers(PluginIdentifier)
        /// An alert to the plugin has waited long enough for its extension, or its notification is shown again after a
        /// failed commit.
        case alerts(PluginIdentifier)
        /// The trust in a lease ends.
        case leases
        /// The reads of pending work that failed are repeated.
        case load
        /// The backlog still contains chores, because one event processes only a limited number of them.
        case backlog
    }

    private var wall = AlarmHeap<WallTime, WallAlarm>()
    private var monotonic = AlarmHeap<MonotonicTime, MonotonicAlarm>()

    var firstWall: (alarm: WallAlarm, time: WallTime)? { wall.first }
    var firstMonotonic: (alarm: MonotonicAlarm, time: MonotonicTime)? { monotonic.first }

    /// Adds an alarm. An alarm that is already set keeps the earlier time.
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

/// Alarms ordered by time. The first entry is always valid. An entry becomes invalid when its alarm is set to an
/// earlier time. Invalid entries are removed when they reach the front, or all together when they outnumber the valid
/// ones by more than 64.
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
