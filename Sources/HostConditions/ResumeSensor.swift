// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Detects suspensions of the machine by comparing its clocks: the boot clock advances during a suspension, the
/// monotonic clock does not.
struct SuspendedTime: Equatable {
    /// Minimum detected length of a suspension. The two clocks are read one after the other, so smaller differences are
    /// not significant.
    private static let leastNoticed: Duration = .milliseconds(500)

    private var suspended: Duration

    init(monotonic: MonotonicTime, boot: MonotonicTime) { suspended = boot - monotonic }

    /// Returns the suspended time since the last returned length, or since `init`; nil below 500 ms.
    mutating func grew(monotonic: MonotonicTime, boot: MonotonicTime) -> Duration? {
        let growth = boot - monotonic - suspended
        guard growth >= Self.leastNoticed else { return nil }
        suspended = boot - monotonic
        return growth
    }
}

/// Detects that the machine resumed after a suspension. After a suspension the kernel sets the wall clock, which makes
/// the sensor's timer ready.
final class ResumeSensor: Sensor {
    /// Expiry of the timer in nanoseconds since 1970, in the year 2200. Only a change of the wall clock makes the timer
    /// ready.
    private static let never: Int64 = 7_258_118_400_000_000_000

    private var timer: Descriptor?
    private var suspended = SuspendedTime(monotonic: .now, boot: .boot)
    /// Length of a suspension that is not reported yet; nil for none.
    private(set) var resumption: Duration?

    init() {
        let number = bgl_wall_timer_create()
        timer = number >= 0 ? Descriptor(owning: number) : nil
        arm()
    }

    var awaited: Awaited? { timer.map { Awaited(descriptor: $0) } }

    func listen(at now: MonotonicTime) {
        if let timer { _ = bgl_timer_read(timer.number) }
        arm()
        sample(at: now)
    }

    /// Records a suspension. A change of the wall clock without a suspension has no effect.
    func sample(at now: MonotonicTime) { resumption = suspended.grew(monotonic: .now, boot: .boot) ?? resumption }

    func takeResumption() -> Duration? {
        defer { resumption = nil }
        return resumption
    }

    func write(to readings: inout Readings) {}

    private func arm() {
        if let timer { _ = bgl_wall_timer_set(timer.number, Self.never) }
    }
}

extension MonotonicTime {
    static var boot: MonotonicTime { MonotonicTime(nanoseconds: bgl_boot_ns()) }
}
