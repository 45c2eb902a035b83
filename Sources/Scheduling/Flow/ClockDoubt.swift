// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The doubt about the wall clock after the start of the host and after each step forward. Such a clock may be wrong:
/// a machine starts with the time of its own clock, and sets it from the network later.
///
/// A deadline that the clock stepped over counts at once, but its request is removed only after the doubt.
struct ClockDoubt: Sendable {
    /// The wall time at the start or after the step. The clock has reached later times by running.
    private var wall: WallTime
    private(set) var end: MonotonicTime
    private var last: Moment

    /// A smaller difference between the clocks is no step: the wall clock is adjusted while it runs.
    private static let tolerance: Duration = .seconds(60)

    init(at now: Moment, for duration: Duration) {
        wall = now.wall
        end = now.monotonic + duration
        last = now
    }

    /// Begins a new doubt after a step forward. The resume of a suspended machine is one as well.
    mutating func note(_ now: Moment, for duration: Duration) {
        let step = (now.wall - last.wall) - (now.monotonic - last.monotonic)
        last = now
        if step > Self.tolerance { (wall, end) = (now.wall, now.monotonic + duration) }
    }

    /// The time up to which deadlines are in doubt; nil when the clock is not in doubt.
    func deadlines(at now: Moment) -> WallTime? { end > now.monotonic ? wall : nil }
}
