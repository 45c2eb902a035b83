// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The monotonic clock and the wall clock of a simulated machine. Time passes only by `advance` and `sleep`.
struct VirtualClock: Sendable {
    private(set) var now: Moment

    /// Creates the clock at the start of the host, 30 seconds after the boot of the machine.
    init(at wall: WallTime) {
        now = Moment(
            monotonic: MonotonicTime(nanoseconds: 0) + .seconds(30),
            wall: wall,
            boot: BootID("replay")
        )
    }

    init(at moment: Moment) { now = moment }

    mutating func advance(by duration: Duration) {
        now = Moment(
            monotonic: now.monotonic + duration,
            wall: now.wall + duration,
            boot: now.boot,
            bootTime: now.bootTime + duration
        )
    }

    /// Suspends the machine: the monotonic clock stands still.
    mutating func sleep(until wall: WallTime) {
        let wall = max(now.wall, wall)
        now = Moment(
            monotonic: now.monotonic,
            wall: wall,
            boot: now.boot,
            bootTime: now.bootTime + (wall - now.wall)
        )
    }
}
