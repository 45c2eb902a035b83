// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The periods in which nothing but advisory policies kept the ready requests of a class from running.
///
/// The deferral of a request begins with the first moment, after it became due, that lies in one of them; nothing that
/// happens later takes that back (C12). It is never stored per request: a period stands for all of a class.
struct Deferral: Sendable {
    /// Oldest first; only the last one may be open.
    private(set) var periods: [DeferralPeriod] = []
    private var written: [DeferralPeriod]? = []

    /// More are merged, oldest first: a request then counts from a little earlier than it could.
    private static let most = 16

    init(periods: [DeferralPeriod] = []) {
        self.periods = periods
        written = periods
    }

    var isEmpty: Bool { periods.isEmpty }
    /// It began, and does not go on.
    var hasEnded: Bool { periods.last?.until != nil }
    var isChanged: Bool { periods != written }

    /// When the deferral of a request began that became due at that time; nil when it has not.
    func start(for due: WallTime) -> WallTime? {
        periods.first { $0.until.map { $0 >= due } ?? true }.map { max($0.since, due) }
    }

    /// Nothing but advisory policies stands against the class from now on.
    ///
    /// - Parameter newestDue: when the newest of its requests became due.
    mutating func begin(at now: WallTime, newestDue: WallTime) {
        guard let last = periods.last else { return periods.append(DeferralPeriod(since: now)) }
        guard let end = last.until else { return }
        if newestDue <= end {
            // No request became due since it ended: for each of them the period that goes on says the same.
            periods[periods.count - 1].until = nil
        } else {
            periods.append(DeferralPeriod(since: now))
        }
        if periods.count > Self.most {
            periods[0].until = periods[1].until
            periods.remove(at: 1)
        }
    }

    /// Something else stands against the class from now on.
    ///
    /// - Returns: whether a period ended.
    @discardableResult
    mutating func end(at now: WallTime) -> Bool {
        guard let last = periods.last, last.until == nil else { return false }
        periods[periods.count - 1].until = now
        return true
    }

    /// No request of the class is ready any more.
    mutating func clear() { periods = [] }

    /// The wall clock was set back: what lies ahead of it is no reason to wait for that time to come again.
    mutating func reckonAnew(at now: WallTime) {
        periods = periods.map { DeferralPeriod(since: min($0.since, now), until: $0.until.map { min($0, now) }) }
    }

    mutating func wasWritten() { written = periods }
    mutating func wasNotWritten() { written = nil }
}
