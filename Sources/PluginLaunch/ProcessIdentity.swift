// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// A process named so that a later one with the same number is another. Says nothing about whether it still runs.
struct ProcessIdentity: Hashable {
    let pid: Int32
    /// Clock ticks since boot.
    let startTime: UInt64

    static var current: ProcessIdentity? { ProcessIdentity(of: getpid()) }

    init(pid: Int32, startTime: UInt64) {
        self.pid = pid
        self.startTime = startTime
    }

    /// Nil when there is no process of that number; a zombie is one.
    init?(of pid: Int32) {
        guard let status = ProcessStatus(of: pid) else { return nil }
        self.init(pid: pid, startTime: status.startTime)
    }

    /// A descriptor of exactly this process, or nil when it is gone.
    func open() -> Descriptor? {
        let number = bgl_pidfd_open(pid)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        // Asked after the descriptor was made: what it names can no longer change, so what was true now stays true.
        return ProcessIdentity(of: pid) == self ? descriptor : nil
    }
}

/// What `/proc/PID/stat` tells, as far as launches need it.
struct ProcessStatus: Equatable {
    let parent: Int32
    let startTime: UInt64

    init?(of pid: Int32) {
        guard let bytes = FileBytes.read("/proc/\(pid)/stat", limit: 2048) else { return nil }
        self.init(parsing: bytes)
    }

    /// The second field is the program's name: any bytes, spaces and parentheses too. Only its last one ends it.
    init?(parsing bytes: [UInt8]) {
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        // Field 3 is the first one here.
        guard fields.count > 19,
            let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
            let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.parent = parent
        self.startTime = startTime
    }
}
