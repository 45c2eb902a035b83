// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import TaskModel

/// The requests of one plugin whose earliest begin or retry delay has not passed, ordered by the time at which they are
/// due. The entry of a request that was removed or became ready early stays at most until that time. Such entries are
/// dropped when they clearly outnumber the others.
struct UpcomingRequests: Sendable {
    private struct Entry: Comparable, Sendable {
        let time: WallTime
        let place: RequestPlace
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
    }

    private var heap = Heap<Entry>()

    mutating func insert(_ place: RequestPlace, at time: WallTime) { heap.insert(Entry(time: time, place: place)) }

    /// Removes and returns the next entry whose time has come; nil when there is none. The request of the entry may
    /// have been removed, or may be ready already.
    mutating func next(upTo now: WallTime) -> RequestPlace? {
        guard let first = heap.min, first.time <= now else { return nil }
        heap.removeMin()
        return first.place
    }

    /// The earliest time at which an upcoming request is due; nil when no request is upcoming.
    ///
    /// - Parameter isWaiting: whether the request at a place is still upcoming. Leading entries of other requests are
    ///   removed.
    mutating func earliest(isWaiting: (RequestPlace) -> Bool) -> WallTime? {
        while let first = heap.min {
            if isWaiting(first.place) { return first.time }
            heap.removeMin()
        }
        return nil
    }

    /// Drops the entries of requests that are no longer upcoming, once they outnumber the others by more than 32.
    ///
    /// - Parameter count: the number of upcoming requests.
    mutating func compact(holding count: Int, isWaiting: (RequestPlace) -> Bool) {
        guard heap.count > 2 * count + 32 else { return }
        heap = Heap(heap.unordered.filter { isWaiting($0.place) })
    }

    mutating func removeAll() { heap = Heap() }
}
