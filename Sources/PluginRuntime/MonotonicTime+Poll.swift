// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

extension MonotonicTime {
    /// The time from now until this time in milliseconds, as a timeout for `poll`. Rounded up, so that no timeout ends
    /// early; 0 when the time has passed.
    var millisecondsFromNow: Int32 {
        let left = max(0, (self - .now).wholeNanoseconds)
        return Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }
}
