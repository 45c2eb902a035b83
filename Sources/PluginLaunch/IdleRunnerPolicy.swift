// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The times at which runners are started in advance of launches, and ended unused. A value without clock and process.
///
/// Launches come in series. After a launch, runners are started until `capacity` of them wait for a plan. They end when
/// no launch has started for `quietTime`, so that a quiet host has no idle process and no timer.
struct IdleRunnerPolicy: Equatable {
    /// The number of idle runners after a launch; 0 for none.
    private(set) var capacity: Int
    /// Earliest time of the next start, which takes place only below `capacity`; nil when no start is planned.
    private(set) var startsAt: MonotonicTime?
    /// Time at which the idle runners are ended; nil before the first launch and in a quiet period.
    private(set) var endsAt: MonotonicTime?
    private var failures = 0

    /// Delay of a start after the launch that caused it, so that this launch gets its plan first. A start takes the
    /// launch thread about as long as all other steps of a launch together.
    static let startDelay = Duration.milliseconds(5)
    static let quietTime = Duration.seconds(300)
    private static let longestBackoff = Duration.seconds(60)

    init(capacity: Int) { self.capacity = capacity }

    /// Changes the number of idle runners. The excess is ended by the caller.
    mutating func setCapacity(_ capacity: Int, at now: MonotonicTime) {
        self.capacity = capacity
        if endsAt != nil, startsAt == nil { startsAt = now + Self.startDelay }
    }

    mutating func launchStarted(withIdleRunner: Bool, at now: MonotonicTime) {
        if withIdleRunner { failures = 0 }
        endsAt = now + Self.quietTime
        if startsAt == nil { startsAt = now + Self.startDelay }
    }

    /// Whether a runner has to be started now.
    func isStartDue(idle count: Int, at now: MonotonicTime) -> Bool {
        guard count < capacity, let startsAt else { return false }
        return startsAt <= now
    }

    /// Notes the start of a runner. No further start is due once the capacity is reached.
    ///
    /// - Parameter count: the number of idle runners, including the new one.
    mutating func started(idle count: Int) {
        if count >= capacity { startsAt = nil }
    }

    /// Delays the next start after a failed start, or after an idle runner ended by itself. The delay is 1 second and
    /// doubles with each further failure, up to 60 seconds. The use of an idle runner and the end of a quiet period
    /// reset it.
    mutating func failed(at now: MonotonicTime) {
        failures = min(failures + 1, 7)
        startsAt = now + min(.seconds(1 << (failures - 1)), Self.longestBackoff)
    }

    /// Whether no launch has started for `quietTime`. True once per quiet period.
    mutating func takeQuiet(at now: MonotonicTime) -> Bool {
        guard let time = endsAt, time <= now else { return false }
        endsAt = nil
        startsAt = nil
        failures = 0
        return true
    }

    /// Time of the next start or end; nil when neither is planned.
    func nextTime(idle count: Int) -> MonotonicTime? {
        let start = count < capacity ? startsAt : nil
        let end = count > 0 || start != nil ? endsAt : nil
        return [start, end].compactMap(\.self).min()
    }
}
