// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The periods in which only advisory policies blocked the ready requests of a class of work.
///
/// The deferral of a request begins at the first moment of a period at which the request is due. Later changes do not
/// undo it (C12). The deferral is not stored per request: the periods apply to the whole class. A period includes its
/// start and excludes its end: it does not cover a request that becomes due at the end.
struct Deferral: Sendable {
    /// The periods in which only advisory policies blocked the class of work, oldest first. Only the last one may be
    /// open.
    private(set) var periods: [DeferralPeriod] = []
    private var written: [DeferralPeriod]? = []

    /// Maximum number of periods. Beyond it the two oldest periods are merged, so that the deferral of a request may
    /// begin a little early.
    private static let most = 16

    init(periods: [DeferralPeriod] = []) {
        self.periods = periods
        written = periods
    }

    var isEmpty: Bool { periods.isEmpty }
    var isChanged: Bool { periods != written }

    /// The start of the deferral of a request that became due at `due`; nil when every period has ended at `due` or
    /// before.
    func start(for due: WallTime) -> WallTime? {
        period(covering: due).map { max($0.since, due) }
    }

    private func period(covering due: WallTime) -> DeferralPeriod? {
        periods.first { $0.until.map { $0 > due } ?? true }
    }

    /// Begins a period, because only advisory policies block the class from now on. If no request has become due since
    /// the end of the last period, that period continues.
    ///
    /// - Parameter newestDue: the latest due time of the class's requests.
    mutating func begin(at now: WallTime, newestDue: WallTime) {
        guard let last = periods.last else { return periods.append(DeferralPeriod(since: now)) }
        guard let end = last.until else { return }
        if newestDue < end {
            // No request became due since its end: to continue the last period gives the same result for each of them.
            periods[periods.count - 1].until = nil
        } else {
            periods.append(DeferralPeriod(since: now))
        }
        if periods.count > Self.most {
            periods[0].until = periods[1].until
            periods.remove(at: 1)
        }
    }

    /// Ends the open period, because from now on other reasons than advisory policies block the class, or no reason
    /// does.
    mutating func end(at now: WallTime) {
        guard let last = periods.last, last.until == nil else { return }
        if last.since < now { periods[periods.count - 1].until = now } else { periods.removeLast() }
    }

    /// Drops all periods, because no request of the class is ready any longer.
    mutating func clear() { periods = [] }

    /// Moves times in the future to the present, after the wall clock was set back. An ended period then ends at the
    /// present or before, and stays at least one nanosecond long.
    mutating func reckonAnew(at now: WallTime) {
        periods = periods.map { period in
            let until = period.until.map { min($0, now) }
            return DeferralPeriod(since: min(period.since, until.map { $0 + .nanoseconds(-1) } ?? now), until: until)
        }
    }

    /// The due time of a request, adjusted after the wall clock was set back to `now`. Called before the periods are
    /// adjusted.
    ///
    /// - Returns: a time before `now` unchanged, otherwise `now`. If an ended period covers the request, the instant
    ///   before `now` instead of `now`, so that the adjusted period still covers the request.
    func reckonAnew(due: WallTime, at now: WallTime) -> WallTime {
        guard due >= now else { return due }
        return period(covering: due)?.until == nil ? now : now + .nanoseconds(-1)
    }

    mutating func wasWritten() { written = periods }
    mutating func wasNotWritten() { written = nil }
}
