// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// Identity of a process: its number and start time, which distinguish it from later processes with the same number.
/// The process may have ended.
package struct ProcessIdentity: Hashable, Sendable {
    package let pid: Int32
    /// Start time of the process in clock ticks since boot.
    package let startTime: UInt64

    package static var current: ProcessIdentity? { ProcessIdentity(of: getpid()) }

    package init(pid: Int32, startTime: UInt64) {
        self.pid = pid
        self.startTime = startTime
    }

    /// The identity of the process with that number; nil when there is none. Zombies are processes, too.
    package init?(of pid: Int32) {
        guard let status = ProcessStatus(of: pid) else { return nil }
        self.init(pid: pid, startTime: status.startTime)
    }

    /// A process descriptor of exactly this process; nil when the process is gone or cannot be opened.
    func open() -> Descriptor? {
        let number = bgl_pidfd_open(pid)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        // Compared after the descriptor was opened: from then on the descriptor refers to the same process.
        return ProcessIdentity(of: pid) == self ? descriptor : nil
    }
}

/// The fields of `/proc/PID/stat` that the launcher needs.
package struct ProcessStatus: Equatable, Sendable {
    package let parent: Int32
    package let startTime: UInt64

    package init?(of pid: Int32) {
        guard let bytes = FileBytes.read("/proc/\(pid)/stat", limit: 2048) else { return nil }
        self.init(parsing: bytes)
    }

    /// Parses the contents of `/proc/PID/stat`; nil when they are malformed. The second field is the program's name,
    /// which may contain any bytes, including spaces and parentheses. The last parenthesis ends it.
    init?(parsing bytes: [UInt8]) {
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        // The first element is field 3.
        guard fields.count > 19,
            let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
            let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.parent = parent
        self.startTime = startTime
    }
}
