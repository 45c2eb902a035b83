// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The deadlines of one plugin's pending requests, ordered by time. A deadline that passes while a change of its
/// request is in flight is kept apart, until that change is applied or dropped.
struct RequestDeadlines: Sendable {
    private var times = RequestTimes()
    /// Overdue requests about which a change was in flight at the last evaluation.
    private var late: [RequestPlace] = []
    /// Overdue requests that stay pending while the wall clock is in doubt.
    private var doubted: [RequestPlace] = []

    /// Whether there is no deadline to evaluate, as for most plugins.
    var isEmpty: Bool { late.isEmpty && doubted.isEmpty && times.isEmpty }
    /// Whether requests wait for the end of the doubt about the wall clock.
    var hasDoubted: Bool { !doubted.isEmpty }

    mutating func insert(_ place: RequestPlace, at deadline: WallTime) { times.insert(place, at: deadline) }

    /// Keeps an overdue request apart, because a change about it is in flight.
    mutating func keepApart(_ place: RequestPlace) { late.append(place) }

    /// Keeps an overdue request until the end of the doubt about the wall clock.
    mutating func keepInDoubt(_ place: RequestPlace) { doubted.append(place) }

    /// Lets the next evaluation take the doubted requests again, because the wall clock was set back.
    mutating func reckonAnew() {
        late += doubted
        doubted = []
    }

    /// Removes and returns the requests whose deadline may have passed, also those that were kept apart. A request may
    /// have been removed since.
    ///
    /// - Parameter isInDoubt: whether the wall clock is in doubt, so that the doubted requests stay.
    mutating func take(upTo now: WallTime, isInDoubt: Bool) -> [RequestPlace] {
        if !isInDoubt { reckonAnew() }
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
    /// about which a change is in flight stay: the result of the change decides first. Requests with a deadline in
    /// doubt stay too, but are marked as overdue, so that they do not start.
    ///
    /// - Parameter doubt: the time up to which deadlines are in doubt; nil when the wall clock is not in doubt.
    mutating func takeOverdue(at now: WallTime, inDoubtUpTo doubt: WallTime?) -> [PendingRequest] {
        var overdue: [PendingRequest] = []
        for place in deadlines.take(upTo: now, isInDoubt: doubt != nil) {
            guard let pending = request(place), let deadline = pending.request.expiresAt else { continue }
            setOverdue(place, deadline <= now)
            if deadline > now {
                // The wall clock was ahead when the request was kept apart.
                deadlines.insert(place, at: deadline)
            } else if isInFlight(pending.request.identifier) {
                deadlines.keepApart(place)
            } else if let doubt, deadline <= doubt {
                deadlines.keepInDoubt(place)
            } else {
                overdue.append(pending)
            }
        }
        return overdue
    }

    /// Adds the deadline of a request again, which `takeOverdue` removed although the request did not lapse. Does
    /// nothing for a replaced request.
    mutating func awaitDeadline(of pending: PendingRequest) {
        guard let place = store.place(of: pending.request.identifier), place.number == pending.number,
            let deadline = pending.request.expiresAt
        else { return }
        setOverdue(place, false)
        deadlines.insert(place, at: deadline)
    }

    /// Marks a request as overdue, or as no longer overdue after the wall clock was set back.
    private mutating func setOverdue(_ place: RequestPlace, _ isOverdue: Bool) {
        guard store[place].map({ $0.isOverdue != isOverdue }) ?? false else { return }
        store.setOverdue(place, isOverdue)
        regroup(place)
    }

    /// The next deadline of a pending request that is not overdue yet; nil without one.
    mutating func nextDeadline() -> WallTime? { deadlines.next { store[$0] != nil } }
}
