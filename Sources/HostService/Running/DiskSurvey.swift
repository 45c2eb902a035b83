// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Selects the samples of the disk that the scheduler needs.
struct DiskSurvey {
    /// Whether the disk lacked its reserve in the last sample that could be taken.
    private(set) var isShort = false
    private var isReadable = true

    /// Whether to report a sample: each one of a disk that lacks its reserve, and the first one of a disk that has it
    /// again.
    mutating func reports(_ disk: DiskSpace, under reserve: DiskReserve) -> Bool {
        let wasShort = isShort
        isShort = reserve.shortage(of: disk) != nil
        isReadable = true
        return isShort || wasShort
    }

    /// Whether to log that a sample could not be taken: true for the first of consecutive failures. A shortage
    /// (`isShort`) lasts until the next sample, because the scheduler blocks launches until a sample ends it.
    mutating func logsFailure() -> Bool {
        defer { isReadable = false }
        return isReadable
    }
}
