// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Both clocks of a machine that exists in a replay alone. Time passes when it is told to.
struct VirtualClock: Sendable {
    private(set) var now: Moment

    /// The machine started half a minute before the host did.
    init(at wall: WallTime) {
        now = Moment(
            monotonic: MonotonicTime(nanoseconds: 0) + .seconds(30),
            wall: wall,
            boot: BootID("replay")
        )
    }

    mutating func advance(by duration: Duration) {
        now = Moment(monotonic: now.monotonic + duration, wall: now.wall + duration, boot: now.boot)
    }

    /// The machine sleeps: calendar time alone goes on.
    mutating func sleep(until wall: WallTime) {
        now = Moment(monotonic: now.monotonic, wall: max(now.wall, wall), boot: now.boot)
    }
}
