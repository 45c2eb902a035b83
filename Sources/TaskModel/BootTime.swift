// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A time in nanoseconds of `CLOCK_BOOTTIME`, which also counts the time of a suspend, used for leases. It is valid
/// within one boot only.
package struct BootTime: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    package static func + (time: Self, duration: Duration) -> Self {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return Self(nanoseconds: overflow ? (duration < .zero ? .min + 1 : .max) : sum)
    }

    package static func - (later: Self, earlier: Self) -> Duration {
        .nanoseconds(later.nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }
}
