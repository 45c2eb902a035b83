// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The periods in which only advisory policies blocked the ready requests of a class.
///
/// The deferral of a request begins at the first moment of a period at which the request is due. Later changes do not
/// undo it (C12). The deferral is not stored per request: the periods apply to the whole class.
struct Deferral: Sendable {
    /// The periods, oldest first. Only the last one may be open.
    private(set) var periods: [DeferralPeriod] = []
    private var written: [DeferralPeriod]? = []

    /// Maximum number of periods. Beyond it the oldest periods are merged: the deferral of a request may then begin a
    /// little early.
    private static let most = 16

    init(periods: [DeferralPeriod] = []) {
        self.periods = periods
        written = periods
    }

    var isEmpty: Bool { periods.isEmpty }
    /// Whether the last period has ended; false without periods.
    var hasEnded: Bool { periods.last?.until != nil }
    var isChanged: Bool { periods != written }

    /// The start of the deferral of a request that became due at `due`; nil when no period covers the request.
    func start(for due: WallTime) -> WallTime? {
        periods.first { $0.until.map { $0 >= due } ?? true }.map { max($0.since, due) }
    }

    /// Begins a period, because only advisory policies block the class from now on. If no request has become due since
    /// the end of the last period, that period continues.
    ///
    /// - Parameter newestDue: the latest due time of the class's requests.
    mutating func begin(at now: WallTime, newestDue: WallTime) {
        guard let last = periods.last else { return periods.append(DeferralPeriod(since: now)) }
        guard let end = last.until else { return }
        if newestDue <= end {
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

    /// Ends the open period: from now on other reasons block the class, or none.
    ///
    /// - Returns: whether a period ended.
    @discardableResult
    mutating func end(at now: WallTime) -> Bool {
        guard let last = periods.last, last.until == nil else { return false }
        periods[periods.count - 1].until = now
        return true
    }

    /// Drops all periods, because no request of the class is ready any longer.
    mutating func clear() { periods = [] }

    /// Moves times in the future to the present, after the wall clock was set back.
    mutating func reckonAnew(at now: WallTime) {
        periods = periods.map { DeferralPeriod(since: min($0.since, now), until: $0.until.map { min($0, now) }) }
    }

    mutating func wasWritten() { written = periods }
    mutating func wasNotWritten() { written = nil }
}
