// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
package import TaskModel

/// The machine's clocks and the identifier of its current boot. It has no timers.
package struct SystemClock: Sendable {
    package let boot: BootID

    /// Creates the clock. Reads the boot identifier, which cannot change while the process runs.
    package init() {
        let text = FileBytes.read("/proc/sys/kernel/random/boot_id", limit: 64) ?? []
        boot = BootID(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    package var monotonic: MonotonicTime { .now }
    package var wall: WallTime { .now }

    package func now() -> Moment { Moment(monotonic: monotonic, wall: wall, boot: boot, bootTime: .now) }
}

extension WallTime {
    /// The current time of CLOCK_REALTIME.
    package static var now: WallTime { WallTime(nanoseconds: bgl_wall_ns()) }
}

extension MonotonicTime {
    /// The current time of CLOCK_MONOTONIC.
    package static var now: MonotonicTime { MonotonicTime(nanoseconds: bgl_monotonic_ns()) }
}
