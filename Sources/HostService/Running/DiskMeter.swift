// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Compares each measurement of the disk with the one before: the space that the disk has lost, and the bytes that each
/// launch has written meanwhile.
struct DiskMeter {
    private struct Measurement {
        let disk: DiskSpace
        /// Highest number of bytes that each launch had written since its start; nil for a launch whose bytes the host
        /// cannot read.
        let written: [LaunchNumber: Int64?]
    }

    private var previous: Measurement?

    /// The sample of a measurement. The first sample contains no changes, because there is no earlier measurement. A
    /// total that falls, because the host reaped a child of a launch, counts as its highest value.
    ///
    /// - Parameters:
    ///   - written: bytes that each running launch has written since its start; nil where they cannot be read.
    ///   - created: files that each launch has created since the previous measurement, as far as they were counted.
    mutating func sample(
        _ disk: DiskSpace,
        written: [LaunchNumber: Int64?],
        created: [LaunchNumber: Int64] = [:]
    ) -> DiskSample {
        guard let previous else {
            self.previous = Measurement(disk: disk, written: written)
            return DiskSample(disk, uses: written.mapValues { _ in DiskUse(written: nil) })
        }
        var highest = written
        var uses: [LaunchNumber: DiskUse] = [:]
        for (launch, total) in written {
            // A launch without an earlier value began after the previous measurement.
            let before: Int64? = previous.written[launch] ?? 0
            let total = total.map { max($0, before ?? 0) }
            highest.updateValue(total, forKey: launch)
            uses[launch] = DiskUse(written: Self.growth(from: before, to: total), created: created[launch])
        }
        self.previous = Measurement(disk: disk, written: highest)
        return DiskSample(
            disk,
            lostBytes: Self.growth(from: disk.freeBytes, to: previous.disk.freeBytes) ?? 0,
            lostInodes: Self.growth(from: disk.freeInodes, to: previous.disk.freeInodes) ?? 0,
            uses: uses
        )
    }

    /// The inodes that the disk has lost since the previous measurement; 0 without one.
    func lostInodes(_ disk: DiskSpace) -> Int64 {
        previous.map { Self.growth(from: disk.freeInodes, to: $0.disk.freeInodes) ?? 0 } ?? 0
    }

    private static func growth(from before: Int64?, to after: Int64?) -> Int64? {
        guard let before, let after else { return nil }
        let (difference, overflow) = after.subtractingReportingOverflow(before)
        return overflow ? nil : max(0, difference)
    }
}
