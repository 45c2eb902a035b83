// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
package import LinuxSystem
package import TaskModel

extension DiskSample {
    /// Samples a disk and its use by launches. The cost does not depend on the number of files.
    ///
    /// - Parameters:
    ///   - directory: a directory on the disk.
    ///   - isInMemory: whether the disk is a tmpfs.
    ///   - processes: the first process of each launch.
    ///   - groups: the directory of the control groups of launches; nil when launches have none.
    package init(
        of directory: String,
        isInMemory: Bool,
        by processes: [LaunchNumber: Int32],
        groups: String?
    ) throws(SystemError) {
        var found = statvfs()
        guard statvfs(directory, &found) == 0 else {
            throw SystemError(number: errno, attempt: "read the free space of the disk of \(directory)")
        }
        let block = Int64(clamping: found.f_frsize)
        self.init(
            DiskSpace(
                bytes: Self.bytes(Int64(clamping: found.f_blocks), block),
                freeBytes: Self.bytes(Int64(clamping: found.f_bavail), block),
                inodes: Int64(clamping: found.f_files),
                freeInodes: Int64(clamping: found.f_favail)
            ),
            uses: processes.mapValues { DiskUse(of: $0, groups: groups, isInMemory: isInMemory) }
        )
    }

    /// Whether the disk of a directory is a tmpfs, according to the mounts of this process; false when it is unknown.
    package static func isInMemory(_ directory: String) -> Bool {
        var place = stat()
        guard stat(directory, &place) == 0, let mounts = FileBytes.text("/proc/self/mountinfo", limit: 1 << 22) else {
            return false
        }
        let device = place.st_dev
        let major = device >> 8 & 0xfff | device >> 32 & ~0xfff
        let minor = device & 0xff | device >> 12 & ~0xff
        return mounts.split(separator: "\n").contains { line in
            // The fields after the separator begin with the type of the file system.
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == "\(major):\(minor)", let end = fields.firstIndex(of: "-") else {
                return false
            }
            return fields.dropFirst(end + 1).first == "tmpfs"
        }
    }

    private static func bytes(_ blocks: Int64, _ size: Int64) -> Int64 {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : bytes
    }
}

extension DiskUse {
    /// Reads the use by the processes of a launch: its first process with the children that it has waited for, and the
    /// other processes of its control group.
    ///
    /// - Parameter isInMemory: whether the disk is a tmpfs, whose writes the kernel does not count as those of a disk.
    init(of process: Int32, groups: String?, isInMemory: Bool) {
        var written: Int64? = 0
        var ticks: Int64 = 0
        for pid in Self.members(of: process, in: groups) {
            let bytes = FileBytes.text("/proc/\(pid)/io", limit: 4096).flatMap { Self.written($0, isInMemory) }
            // A process that ended in between has no file either; the first process of a running launch has one.
            if let bytes { written = written.map { $0.addingReportingOverflow(bytes).partialValue } }
            if bytes == nil, pid == process { written = nil }
            ticks += FileBytes.text("/proc/\(pid)/stat", limit: 4096).flatMap(Self.systemTicks) ?? 0
        }
        let rate = max(1, Int64(sysconf(Int32(_SC_CLK_TCK))))
        self.init(written: written, systemTime: .milliseconds(ticks / rate * 1_000 + ticks % rate * 1_000 / rate))
    }

    /// Maximum number of processes of a launch that are read.
    private static let mostMembers = 64

    private static func members(of process: Int32, in groups: String?) -> [Int32] {
        guard let groups, let line = FileBytes.text("/proc/\(process)/cgroup", limit: 4096),
            let name = line.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.split(separator: "/").last,
            let listed = FileBytes.text("\(groups)/\(name)/cgroup.procs", limit: 4096)
        else { return [process] }
        let others = listed.split(separator: "\n").compactMap { Int32($0) }.filter { $0 > 0 && $0 != process }
        return [process] + others.prefix(mostMembers - 1)
    }

    /// The bytes that `/proc/PID/io` contains; nil for other text.
    static func written(_ text: String, _ isInMemory: Bool) -> Int64? {
        var fields: [Substring: Int64] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":")
            if parts.count == 2 { fields[parts[0]] = Int64(parts[1].drop { $0 == " " }) }
        }
        if isInMemory { return fields["wchar"] }
        guard let written = fields["write_bytes"], let cancelled = fields["cancelled_write_bytes"] else { return nil }
        return max(0, written.subtractingReportingOverflow(cancelled).partialValue)
    }

    /// The clock ticks in the kernel that `/proc/PID/stat` contains, with those of the children that the process has
    /// waited for; nil for other text. The second field is the program's name, which may be any text.
    static func systemTicks(_ text: String) -> Int64? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        // The fields begin with the third one; the fifteenth and the seventeenth are the times.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14, let own = Int64(fields[12]), let children = Int64(fields[14]),
            own >= 0, children >= 0, own < 1 << 60, children < 1 << 60
        else { return nil }
        return own + children
    }
}
