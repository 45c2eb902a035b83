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
    /// The bytes of the container of each running launch when they were last measured in the present shortage.
    private var occupied: [LaunchNumber: Int64] = [:]

    /// The sample of a measurement. The first sample contains no changes, because there is no earlier measurement. A
    /// total that falls, because the host reaped a child of a launch, counts as its highest value.
    ///
    /// - Parameters:
    ///   - written: bytes that each running launch has written since its start; nil where they cannot be read.
    ///   - created: files that each launch has created since the previous measurement, as far as they were counted.
    ///   - occupied: bytes of the container of each launch, as far as they were measured. Directories and links take
    ///     bytes of the disk without a write that the kernel counts: the larger growth is the one of the launch.
    mutating func sample(
        _ disk: DiskSpace,
        written: [LaunchNumber: Int64?],
        created: [LaunchNumber: Int64] = [:],
        occupied: [LaunchNumber: Int64] = [:]
    ) -> DiskSample {
        let before = self.occupied
        self.occupied = before.merging(occupied) { $1 }.filter { written.keys.contains($0.key) }
        guard let previous else {
            self.previous = Measurement(disk: disk, written: written)
            return DiskSample(disk, uses: written.mapValues { _ in DiskUse(written: nil) })
        }
        var highest = written
        var uses: [LaunchNumber: DiskUse] = [:]
        for (launch, total) in written {
            // A launch without an earlier value began after the previous measurement.
            let start: Int64? = previous.written[launch] ?? 0
            let total = total.map { max($0, start ?? 0) }
            highest.updateValue(total, forKey: launch)
            let growths = [
                Self.growth(from: start, to: total), Self.growth(from: before[launch], to: occupied[launch]),
            ]
            uses[launch] = DiskUse(written: growths.compactMap(\.self).max(), created: created[launch])
        }
        self.previous = Measurement(disk: disk, written: highest)
        return DiskSample(
            disk,
            lostBytes: Self.growth(from: disk.freeBytes, to: previous.disk.freeBytes) ?? 0,
            lostInodes: Self.growth(from: disk.freeInodes, to: previous.disk.freeInodes) ?? 0,
            uses: uses
        )
    }

    /// Drops the measured bytes of the containers, at the end of a shortage. Without this, the first growth in the next
    /// shortage would contain all bytes that a launch wrote in between.
    mutating func forgetContents() { occupied = [:] }

    /// Whether the disk has lost bytes, or inodes, of which it has a shortage, since the previous measurement; false
    /// without one.
    func hasLost(_ disk: DiskSpace, for shortage: DiskShortage) -> Bool {
        guard let before = previous?.disk else { return false }
        return switch shortage {
        case .bytes: disk.freeBytes < before.freeBytes
        case .inodes: disk.freeInodes < before.freeInodes
        }
    }

    private static func growth(from before: Int64?, to after: Int64?) -> Int64? {
        guard let before, let after else { return nil }
        let (difference, overflow) = after.subtractingReportingOverflow(before)
        return overflow ? nil : max(0, difference)
    }
}
