// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Whether the machine was suspended: one of its clocks goes on meanwhile, the other does not.
struct SuspendedTime: Equatable {
    /// The clocks are read one after the other.
    private static let leastNoticed: Duration = .milliseconds(500)

    private var suspended: Duration

    init(monotonic: MonotonicTime, boot: MonotonicTime) { suspended = boot - monotonic }

    /// For how long it was suspended since this was last asked; nil if it was not.
    mutating func grew(monotonic: MonotonicTime, boot: MonotonicTime) -> Duration? {
        let growth = boot - monotonic - suspended
        guard growth >= Self.leastNoticed else { return nil }
        suspended = boot - monotonic
        return growth
    }
}

/// Notices that the machine goes on after it was suspended. The kernel sets the wall clock then, and says so.
final class ResumeSensor: Sensor {
    /// Never meant to go off by itself: the year 2200.
    private static let never: Int64 = 7_258_118_400_000_000_000

    private var timer: Descriptor?
    private var suspended = SuspendedTime(monotonic: .now, boot: .boot)
    /// What is still to be told.
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
        look(at: now)
    }

    /// A wall clock that was only set is no resumption.
    func look(at now: MonotonicTime) { resumption = suspended.grew(monotonic: .now, boot: .boot) ?? resumption }

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
