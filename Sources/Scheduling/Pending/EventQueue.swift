// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// The waiting events of one plugin, first in, first out (C11).
struct EventQueue: Sendable {
    private var stored = Deque<PendingEvent>()
    private var counts: [EventType: Int] = [:]
    /// Types of the arriving events, by event number. A trigger or fetch event arrives while the commit that stores it
    /// is in flight; a `started` event does not count.
    private var arriving: [SubmissionNumber: EventType] = [:]

    /// Number of waiting events, plus the trigger and fetch events whose commit is in flight.
    var expectedCount: Int { stored.count + arriving.count }
    var count: Int { stored.count }
    var isEmpty: Bool { stored.isEmpty }
    var hasArriving: Bool { !arriving.isEmpty }
    var first: PendingEvent? { stored.first }
    var all: Deque<PendingEvent> { stored }

    func contains(_ number: SubmissionNumber) -> Bool { index(of: number) != nil }
    func contains(_ type: EventType) -> Bool { (counts[type] ?? 0) > 0 }
    func isArriving(_ type: EventType) -> Bool { arriving.values.contains(type) }

    /// The waiting events with numbers above `number`, oldest first, at most `limit`; the oldest events when `number`
    /// is nil.
    func events(after number: SubmissionNumber?, limit: Int) -> [PendingEvent] {
        Array(stored[(number.map(firstIndex(after:)) ?? 0)...].prefix(limit))
    }

    mutating func begin(_ event: PendingEvent) { arriving[event.number] = event.type }
    mutating func end(_ event: PendingEvent) { arriving[event.number] = nil }

    mutating func insert(_ event: PendingEvent) {
        let index = firstIndex(after: event.number)
        counts[event.type, default: 0] += 1
        if index == stored.count { stored.append(event) } else { stored.insert(event, at: index) }
    }

    mutating func remove(_ number: SubmissionNumber) {
        guard let index = index(of: number) else { return }
        counts[stored[index].type, default: 1] -= 1
        if index == 0 { stored.removeFirst() } else { stored.remove(at: index) }
    }

    /// Drops the retry delays of waiting events that were set while the wall clock was ahead: a delay set now could not
    /// end so late.
    mutating func dropVoidCooldowns(at now: Moment, _ configuration: SchedulingConfiguration) {
        for index in stored.indices { stored[index].retry.dropVoidCooldown(at: now, configuration) }
    }

    /// Drops the spacing of relaunches of the waiting events about sessions, and their rows of relaunches.
    mutating func dropRelaunchSpacings() {
        for index in stored.indices where stored[index].isRelaunch {
            (stored[index].retry.notBefore, stored[index].retry.setbacks) = (nil, 0)
        }
    }

    private func index(of number: SubmissionNumber) -> Int? {
        let index = firstIndex(after: number) - 1
        return index >= 0 && stored[index].number == number ? index : nil
    }

    private func firstIndex(after number: SubmissionNumber) -> Int {
        guard let last = stored.last, last.number > number else { return stored.count }
        return stored.partitionIndex { $0.number > number }
    }
}
