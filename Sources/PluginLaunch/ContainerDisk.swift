// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
package import LinuxSystem
package import TaskModel

/// The disk of the containers, as the kernel describes it. Reads its free space, and the bytes and files that launches
/// add to it.
package struct ContainerDisk: Hashable, Sendable {
    private let directory: String
    /// Major and minor number of the file system's device, as in `/proc/self/mountinfo`: `8:1`. Empty when they cannot
    /// be read.
    private let number: String
    /// Major and minor number of the device by which `io.stat` counts writes to the disk: `8:0`. Nil when `io.stat`
    /// does not count them.
    private let countedDevice: String?
    /// Whether the disk is a file system in memory, whose writes the kernel does not count as those of a disk.
    package let isInMemory: Bool
    /// Whether free space falls when the kernel writes pages back and commits them, not when a program writes: btrfs.
    package let defersFreeSpace: Bool

    /// Finds the disk of a directory by the mounts of this process.
    package init(of directory: String) {
        var place = stat()
        let isFound = stat(directory, &place) == 0
        let device = place.st_dev
        let number = "\(device >> 8 & 0xfff | device >> 32 & ~0xfff):\(device & 0xff | device >> 12 & ~0xff)"
        self.init(
            of: directory,
            on: isFound ? number : "",
            mounts: FileBytes.text("/proc/self/mountinfo", limit: 1 << 22) ?? "",
            devices: Self.devices,
            defersFreeSpace: bgl_defers_free_space(directory) != 0
        )
    }

    /// - Parameters:
    ///   - number: major and minor number of the device of the directory's file system, as `8:1`.
    ///   - mounts: the text of `/proc/self/mountinfo`.
    ///   - devices: the directory of the block devices by number, as `/sys/dev/block`.
    ///   - defersFreeSpace: whether free space falls later than a program writes.
    init(of directory: String, on number: String, mounts: String, devices: String, defersFreeSpace: Bool = false) {
        self.directory = directory
        self.number = number
        self.defersFreeSpace = defersFreeSpace
        isInMemory = Self.isInMemory(number, in: mounts)
        countedDevice = isInMemory ? nil : Self.wholeDisk(of: number, in: devices)
    }

    private static let devices = "/sys/dev/block"

    /// Whether a device is that of a file system in memory. The root of an initramfs has the type `rootfs`.
    private static func isInMemory(_ number: String, in mounts: String) -> Bool {
        mounts.split(separator: "\n").contains { line in
            // The fields after the separator begin with the type of the file system.
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == number, let end = fields.firstIndex(of: "-"),
                let type = fields.dropFirst(end + 1).first
            else { return false }
            return ["tmpfs", "ramfs", "rootfs"].contains(type)
        }
    }

    /// The device by which `io.stat` counts: the whole disk in place of its partition. Nil for a device that is no
    /// block device (the files of btrfs, overlayfs and network file systems have one of major number 0), and when the
    /// whole disk cannot be read.
    private static func wholeDisk(of number: String, in devices: String) -> String? {
        let entry = "\(devices)/\(number)"
        if number.isEmpty || number.hasPrefix("0:") || access(entry, F_OK) != 0 { return nil }
        guard access("\(entry)/partition", F_OK) == 0 else { return number }
        // The entry is a symbolic link to the directory of the partition inside that of its disk.
        let disk = FileBytes.text("\(entry)/../dev", limit: 64)?.split(separator: "\n").first.map(String.init)
        return disk?.isEmpty == false ? disk : nil
    }

    /// The reason why control groups cannot count the bytes that launches write to the disk; nil when they can.
    package var uncounted: String? {
        if countedDevice != nil { return nil }
        return isInMemory
            ? "control groups do not count writes to a disk in memory"
            : "io.stat of control groups does not count writes to \(directory): its device \(number) is no disk of"
                + " \(Self.devices) (btrfs, overlayfs and network file systems have none)"
    }

    /// The size of the disk and its free part.
    package func space() throws(SystemError) -> DiskSpace {
        var found = statvfs()
        guard statvfs(directory, &found) == 0 else {
            throw SystemError(number: errno, attempt: "read the free space of the disk of \(directory)")
        }
        let block = Int64(clamping: found.f_frsize)
        return DiskSpace(
            bytes: Self.bytes(Int64(clamping: found.f_blocks), block),
            freeBytes: Self.bytes(Int64(clamping: found.f_bavail), block),
            inodes: Int64(clamping: found.f_files),
            freeInodes: Int64(clamping: found.f_favail)
        )
    }

    /// Writes all changes of the disk back, after which its free space is exact. Blocks until then. A failure leaves the
    /// free space as the kernel reports it.
    package func writeBack() {
        guard let opened = try? Descriptor(opening: directory, flags: O_RDONLY | O_DIRECTORY) else { return }
        _ = bgl_sync_disk(opened.number)
    }

    private static func bytes(_ blocks: Int64, _ size: Int64) -> Int64 {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : bytes
    }

    // MARK: Written bytes

    /// The bytes that a launch has written since its start, the larger value of the sources that this process can read:
    /// `/proc/PID/io` of its processes, and `io.stat` of its control group, for this disk alone. Nil without a source.
    ///
    /// `/proc/PID/io` is read of at most 64 processes, and of the first process alone in a launch without a control
    /// group. It loses the bytes of a child that the host reaps, and omits those that the launch deleted before they
    /// reached a disk; for a disk in memory it counts all writes to any file. `io.stat` counts a byte when the kernel
    /// writes it back, up to half a minute later.
    ///
    /// - Parameters:
    ///   - process: the first process of the launch.
    ///   - groups: the directory of the control groups of launches; nil when launches have none.
    package func written(by process: Int32, in groups: String?) -> Int64? {
        let group = groups.flatMap { Self.group(of: process, in: $0) }
        let counted = group.flatMap { FileBytes.text("\($0)/io.stat", limit: 1 << 16) }.flatMap(writtenBytes(inGroup:))
        guard let own = bytes(of: process) else { return counted }
        // A process that ended in between has no file. The bytes of children belong to the process that waits for them.
        let sum = Self.others(in: group, besides: process).compactMap(bytes(of:)).reduce(own) {
            $0.addingReportingOverflow($1).partialValue
        }
        return max(sum, counted ?? 0)
    }

    private func bytes(of process: Int32) -> Int64? {
        FileBytes.text("/proc/\(process)/io", limit: 4096).flatMap(writtenBytes(ofProcess:))
    }

    /// The written bytes in the text of `/proc/PID/io`: those of all write calls for a disk in memory, otherwise those
    /// that reach a disk. Nil for other text.
    func writtenBytes(ofProcess text: String) -> Int64? {
        var fields: [Substring: Int64] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":")
            if parts.count == 2 { fields[parts[0]] = Int64(parts[1].drop { $0 == " " }) }
        }
        if isInMemory { return fields["wchar"] }
        guard let written = fields["write_bytes"], let cancelled = fields["cancelled_write_bytes"] else { return nil }
        return max(0, written.subtractingReportingOverflow(cancelled).partialValue)
    }

    /// The bytes written to this disk in the text of `io.stat` of a control group; 0 for a group that has not used the
    /// disk. Nil for a disk whose writes control groups do not count, and for a line without `wbytes`.
    func writtenBytes(inGroup text: String) -> Int64? {
        guard let countedDevice else { return nil }
        let lines = text.split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("\(countedDevice) ") }) else { return 0 }
        let field = line.split(separator: " ").first { $0.hasPrefix("wbytes=") }
        return field.flatMap { Int64($0.dropFirst("wbytes=".count)) }
    }

    /// Maximum number of processes of a launch whose `/proc/PID/io` is read.
    private static let mostMembers = 64

    private static func group(of process: Int32, in groups: String) -> String? {
        let line = FileBytes.text("/proc/\(process)/cgroup", limit: 4096)?.split(separator: "\n")
            .first { $0.hasPrefix("0::") }
        return line?.split(separator: "/").last.map { "\(groups)/\($0)" }
    }

    private static func others(in group: String?, besides process: Int32) -> ArraySlice<Int32> {
        guard let group, let listed = FileBytes.text("\(group)/cgroup.procs", limit: 4096) else { return [] }
        return listed.split(separator: "\n").compactMap { Int32($0) }.filter { $0 > 0 && $0 != process }
            .prefix(mostMembers - 1)
    }

    // MARK: Contents of a container

    /// The contents of a container, as far as they were examined.
    package struct Contents: Hashable, Sendable {
        /// Number of files and directories that were created since a time.
        package let created: Int64
        /// Bytes that all files, directories and symbolic links occupy.
        package let bytes: Int64
    }

    /// Maximum number of entries of a container that are examined.
    private static let mostEntries: Int32 = 100_000

    /// The files and directories below a directory, on its disk: the number of those that were created at a time or
    /// later, and the bytes of all. Entries behind the first 100,000 and below 64 levels are not counted. Without
    /// creation times in the file system, the entries whose status changed since then are counted, and none in
    /// directories that the plugin has closed. Nil when the directory cannot be read.
    package static func contents(of directory: String, since time: WallTime) -> Contents? {
        var (created, bytes): (Int64, Int64) = (0, 0)
        guard bgl_measure_tree(directory, time.nanoseconds, mostEntries, &created, &bytes) == 0 else { return nil }
        return Contents(created: created, bytes: bytes)
    }
}
