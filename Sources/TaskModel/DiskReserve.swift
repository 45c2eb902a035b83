// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The free space and the free inodes that the disk of the containers keeps. A pure rule.
package struct DiskReserve: Hashable, Sendable {
    /// Maximum of the reserved space in bytes; 0 for no reserve.
    package var most: Int64 = 1 << 30

    package init() {}

    package static let range: ClosedRange<Int64> = 0...(1 << 50)
    /// Divisor of the size of the disk: the reserve is at most one twentieth of it, so that a small disk remains
    /// usable.
    private static let part: Int64 = 20
    private static let mostInodes: Int64 = 65_536

    /// The shortage of a disk with this free space; nil while the reserve is kept.
    package func shortage(of disk: DiskSpace) -> DiskShortage? {
        let (bytes, inodes) = amounts(on: disk)
        if disk.freeBytes < bytes { return .bytes(free: disk.freeBytes, reserve: bytes) }
        return disk.freeInodes < inodes ? .inodes(free: disk.freeInodes, reserve: inodes) : nil
    }

    /// Whether the free bytes or the free inodes are less than four times their reserve.
    package func isNear(_ disk: DiskSpace) -> Bool {
        let (bytes, inodes) = amounts(on: disk)
        return disk.freeBytes / 4 < bytes || disk.freeInodes / 4 < inodes
    }

    /// The free bytes that transfers leave: the reserve and an eighth of it, so that a transfer ends before the disk
    /// lacks its reserve.
    ///
    /// - Parameter bytes: the size of the disk; nil when it is not known.
    package func leftByTransfers(onDiskOf bytes: Int64?) -> Int64 {
        let reserve = max(0, bytes.map { min(most, $0 / Self.part) } ?? most)
        return reserve + reserve / 8
    }

    /// The reserved bytes and inodes. File systems that create inodes on demand report 0 inodes, and have no reserve of
    /// them.
    private func amounts(on disk: DiskSpace) -> (bytes: Int64, inodes: Int64) {
        if most <= 0 { return (0, 0) }
        return (min(most, disk.bytes / Self.part), min(Self.mostInodes, disk.inodes / Self.part))
    }
}

/// The size of a disk, and the part of it that is free for processes without privileges.
package struct DiskSpace: Hashable, Sendable {
    package let bytes: Int64
    package let freeBytes: Int64
    package let inodes: Int64
    package let freeInodes: Int64

    package init(bytes: Int64, freeBytes: Int64, inodes: Int64 = 0, freeInodes: Int64 = 0) {
        self.bytes = bytes
        self.freeBytes = freeBytes
        self.inodes = inodes
        self.freeInodes = freeInodes
    }
}

/// A disk with less free than its reserve, in bytes or in inodes: the free amount and the reserve.
package enum DiskShortage: Hashable, Sendable {
    case bytes(free: Int64, reserve: Int64)
    case inodes(free: Int64, reserve: Int64)

    package var free: Int64 {
        switch self {
        case .bytes(let free, _), .inodes(let free, _): free
        }
    }

    package var reserve: Int64 {
        switch self {
        case .bytes(_, let reserve), .inodes(_, let reserve): reserve
        }
    }

    /// Whether less than half of the reserve is left.
    package var isSevere: Bool { free < reserve / 2 }

    package var words: String {
        switch self {
        case .bytes(let free, let reserve):
            "the disk of the containers has \(free) bytes free, and its reserve is \(reserve) bytes"
        case .inodes(let free, let reserve):
            "the disk of the containers has \(free) inodes free, and its reserve is \(reserve) inodes"
        }
    }
}
