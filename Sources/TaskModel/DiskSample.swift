// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The bytes that a launch has written and the files that it has created since the previous sample of the disk.
package struct DiskUse: Hashable, Sendable {
    /// Bytes that the launch has written since the previous sample, or by which its container grew, whichever is more;
    /// nil when the host can read neither.
    package let written: Int64?
    /// The number of files that exist in the container of the launch and were created since the previous sample, a lower
    /// bound; nil when they were not counted.
    package let created: Int64?

    package init(written: Int64?, created: Int64? = nil) {
        self.written = written
        self.created = created
    }
}

/// The disk of the containers at one moment, with its changes since the previous sample.
package struct DiskSample: Hashable, Sendable {
    package let disk: DiskSpace
    /// The free bytes that the disk has lost since the previous sample; 0 when it has lost none, and in the first sample.
    package let lostBytes: Int64
    /// The free inodes that the disk has lost since the previous sample; 0 when it has lost none, and in the first
    /// sample.
    package let lostInodes: Int64
    /// The use by each running launch since the previous sample.
    package let uses: [LaunchNumber: DiskUse]

    package init(
        _ disk: DiskSpace,
        lostBytes: Int64 = 0,
        lostInodes: Int64 = 0,
        uses: [LaunchNumber: DiskUse] = [:]
    ) {
        self.disk = disk
        self.lostBytes = lostBytes
        self.lostInodes = lostInodes
        self.uses = uses
    }
}
