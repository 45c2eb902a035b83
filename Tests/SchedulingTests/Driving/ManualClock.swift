// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The monotonic and the wall clock of one machine, advanced by the test together or apart.
struct ManualClock {
    private(set) var now: Moment

    /// Creates the clocks at noon of 2026-01-01 in UTC, one hour after the boot.
    init() {
        now = Moment(
            monotonic: MonotonicTime(nanoseconds: 0) + .seconds(3_600),
            wall: WallTime(nanoseconds: 0) + .seconds(1_767_268_800),
            boot: BootID("boot-1")
        )
    }

    mutating func advance(by duration: Duration) {
        now = Moment(
            monotonic: now.monotonic + duration,
            wall: now.wall + duration,
            boot: now.boot,
            bootTime: now.bootTime + duration
        )
    }

    /// Steps the wall clock only, as an operator does.
    mutating func stepWall(by duration: Duration) {
        now = Moment(
            monotonic: now.monotonic,
            wall: now.wall + duration,
            boot: now.boot,
            bootTime: now.bootTime
        )
    }

    /// Suspends the machine: the monotonic clock, and with it budgets, stand still.
    mutating func suspend(for duration: Duration) {
        now = Moment(
            monotonic: now.monotonic,
            wall: now.wall + duration,
            boot: now.boot,
            bootTime: now.bootTime + duration
        )
    }

    /// Starts another boot, whose monotonic clock begins at zero.
    mutating func reboot(takes duration: Duration) {
        let boot = BootID(now.boot.text + "'")
        now = Moment(monotonic: MonotonicTime(nanoseconds: 0), wall: now.wall + duration, boot: boot)
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }

    static prefix func - (duration: Duration) -> Duration { .zero - duration }
}

extension WallTime {
    static func - (time: Self, duration: Duration) -> Self { time + -duration }
}
