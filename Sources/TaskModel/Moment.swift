// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A time in nanoseconds of `CLOCK_MONOTONIC`, used for the budgets and kill times of launches and for the spacing
/// between them, but not for the spacing of a kind. It is valid within one boot only.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    package static func + (time: Self, duration: Duration) -> Self {
        Self(nanoseconds: time.nanoseconds.addingClamped(duration.wholeNanoseconds))
    }

    package static func - (later: Self, earlier: Self) -> Duration {
        .nanoseconds(later.nanoseconds.addingClamped(-earlier.nanoseconds))
    }
}

/// A wall-clock time in nanoseconds since 1970, used for earliest begin, retry delays, the spacing of a kind, the day
/// budget and the journal; never for the budget of a launch.
package struct WallTime: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    package static func + (time: Self, duration: Duration) -> Self {
        Self(nanoseconds: time.nanoseconds.addingClamped(duration.wholeNanoseconds))
    }

    package static func - (later: Self, earlier: Self) -> Duration {
        .nanoseconds(later.nanoseconds.addingClamped(-earlier.nanoseconds))
    }
}

/// The kernel's identifier of a boot. Monotonic times of different boots cannot be compared.
package struct BootID: Hashable, Sendable {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// One instant on all clocks; an argument of every decision (C10).
package struct Moment: Hashable, Sendable {
    package let monotonic: MonotonicTime
    package let wall: WallTime
    package let boot: BootID
    /// The time since the boot, with the time of suspends; for leases.
    package let bootTime: BootTime

    /// - Parameter bootTime: nil for a machine that was never suspended.
    package init(monotonic: MonotonicTime, wall: WallTime, boot: BootID, bootTime: BootTime? = nil) {
        self.monotonic = monotonic
        self.wall = wall
        self.boot = boot
        self.bootTime = bootTime ?? BootTime(nanoseconds: monotonic.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to 64 bits (292 years), so that no external value can trap.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min + 1 : .max }
        return product.addingClamped(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min + 1 : .max) : sum
    }
}
