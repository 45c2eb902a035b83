// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The bytes that launches wrote and that the free space of the disk may still contain: btrfs lowers it when the kernel
/// writes pages back and commits them, up to a minute after a write. Until then a launch could fill the whole disk.
struct DeferredWrites {
    /// Bytes that each running launch has written since its start: the highest measured value.
    private var totals: [LaunchNumber: Int64] = [:]
    /// Bytes that launches wrote since the last settlement.
    private var bytes: Int64 = 0

    /// Only a larger part of the reserve is worth the cost of a settlement: the reserve divided by this number.
    private static let part: Int64 = 16

    /// Adds a measurement.
    ///
    /// - Parameter written: bytes that each running launch has written since its start; nil where they cannot be read.
    mutating func add(_ written: [LaunchNumber: Int64?]) {
        var highest: [LaunchNumber: Int64] = [:]
        for case (let launch, let total?) in written {
            let before = totals[launch] ?? 0
            highest[launch] = max(total, before)
            let (sum, overflow) = bytes.addingReportingOverflow(max(total, before) - before)
            bytes = overflow ? .max : sum
        }
        totals = highest
    }

    /// Whether the disk lacks its reserve if its free space still contains the written bytes. Its changes then have to
    /// be written back, after which the free space is exact.
    func mayHideShortage(of disk: DiskSpace, under reserve: DiskReserve) -> Bool {
        let lowest = DiskSpace(
            bytes: disk.bytes,
            freeBytes: max(0, disk.freeBytes.subtractingReportingOverflow(bytes).partialValue)
        )
        guard let shortage = reserve.shortage(of: lowest) else { return false }
        return bytes >= max(1, shortage.reserve / Self.part)
    }

    /// Records that the changes of the disk were written back.
    mutating func settle() { bytes = 0 }
}
