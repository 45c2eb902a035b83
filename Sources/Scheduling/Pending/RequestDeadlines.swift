// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The deadlines of one plugin's pending requests, ordered by time. A deadline that passes while a change of its
/// request is in flight is kept apart, until that change is applied or dropped.
struct RequestDeadlines: Sendable {
    private var times = RequestTimes()
    /// Overdue requests about which a change was in flight at the last evaluation.
    private var late: [RequestPlace] = []

    /// Whether there is no deadline to evaluate, as for most plugins.
    var isEmpty: Bool { late.isEmpty && times.isEmpty }

    mutating func insert(_ place: RequestPlace, at deadline: WallTime) { times.insert(place, at: deadline) }

    /// Keeps an overdue request apart, because a change about it is in flight.
    mutating func keepApart(_ place: RequestPlace) { late.append(place) }

    /// Removes and returns the requests whose deadline may have passed, also those that were kept apart. A request may
    /// have been removed since.
    mutating func take(upTo now: WallTime) -> [RequestPlace] {
        var taken = late
        late = []
        while let place = times.next(upTo: now) { taken.append(place) }
        return taken
    }

    mutating func next(isPending: (RequestPlace) -> Bool) -> WallTime? { times.earliest(isWaiting: isPending) }

    mutating func compact(holding count: Int, isPending: (RequestPlace) -> Bool) {
        times.compact(holding: count, isWaiting: isPending)
    }
}

// Lapsing: the end of pending requests whose deadline has passed.
extension PendingRequests {
    /// Removes and returns the pending requests whose deadline has passed, from the order of deadlines alone. Requests
    /// about which a change is in flight stay: the result of the change decides first.
    mutating func takeOverdue(at now: WallTime) -> [PendingRequest] {
        var overdue: [PendingRequest] = []
        for place in deadlines.take(upTo: now) {
            guard let pending = request(place), let deadline = pending.request.expiresAt else { continue }
            if deadline > now {
                // The wall clock was ahead when the request was kept apart.
                deadlines.insert(place, at: deadline)
            } else if isInFlight(pending.request.identifier) {
                deadlines.keepApart(place)
            } else {
                overdue.append(pending)
            }
        }
        return overdue
    }

    /// Adds the deadline of a request again that was taken and did not lapse. Does nothing for a replaced request.
    mutating func awaitDeadline(of pending: PendingRequest) {
        guard let place = store.place(of: pending.request.identifier), place.number == pending.number,
            let deadline = pending.request.expiresAt
        else { return }
        deadlines.insert(place, at: deadline)
    }

    /// The next deadline of a pending request that is not overdue yet; nil without one.
    mutating func nextDeadline() -> WallTime? { deadlines.next { store[$0] != nil } }
}
