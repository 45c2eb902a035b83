// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
package import TaskModel

extension BootTime {
    /// The current time of CLOCK_BOOTTIME.
    package static var now: BootTime { BootTime(nanoseconds: bgl_boot_ns()) }
}
