// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import TaskModel

/// Requests of one plugin, ordered by a time of each: the time at which an upcoming request is due, or the deadline of
/// a request. The entry of a request that no longer waits for its time stays at most until that time. Such entries are
/// dropped when they clearly outnumber the others.
struct RequestTimes: Sendable {
    private struct Entry: Comparable, Sendable {
        let time: WallTime
        let place: RequestPlace
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
    }

    private var heap = Heap<Entry>()

    var isEmpty: Bool { heap.isEmpty }

    mutating func insert(_ place: RequestPlace, at time: WallTime) { heap.insert(Entry(time: time, place: place)) }

    /// Removes and returns the next entry whose time has come; nil when there is none. The request of the entry may
    /// have been removed, or may no longer wait for this time.
    mutating func next(upTo now: WallTime) -> RequestPlace? {
        guard let first = heap.min, first.time <= now else { return nil }
        heap.removeMin()
        return first.place
    }

    /// The earliest time of a request that still waits for its time; nil when there is none.
    ///
    /// - Parameter isWaiting: whether the request at a place still waits for its time. Leading entries of other
    ///   requests are removed.
    mutating func earliest(isWaiting: (RequestPlace) -> Bool) -> WallTime? {
        while let first = heap.min {
            if isWaiting(first.place) { return first.time }
            heap.removeMin()
        }
        return nil
    }

    /// Drops the entries of requests that no longer wait for their time, once they outnumber the others by more than
    /// 32.
    ///
    /// - Parameter count: the number of requests that still wait.
    mutating func compact(holding count: Int, isWaiting: (RequestPlace) -> Bool) {
        guard heap.count > 2 * count + 32 else { return }
        heap = Heap(heap.unordered.filter { isWaiting($0.place) })
    }

    mutating func removeAll() { heap = Heap() }
}
