// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// Reads the user of a process. `/proc/PID/status` is readable for processes of every user.
enum ProcessUser {
    /// The real user of a process; nil when the process is gone or a zombie, which cannot be killed.
    static func of(_ pid: Int32) -> UInt32? {
        FileBytes.text("/proc/\(pid)/status", limit: 4096).flatMap(real(inStatus:))
    }

    /// The real user in the contents of `/proc/PID/status`; nil for a zombie, and when the contents are malformed. A
    /// program's name, the first line, contains no line feed: the kernel escapes it.
    static func real(inStatus status: String) -> UInt32? {
        let lines = status.split(separator: "\n")
        let state = lines.first { $0.hasPrefix("State:") }?.dropFirst("State:".count).drop { $0 == "\t" }.first
        if state == "Z" || state == "X" { return nil }
        guard let line = lines.first(where: { $0.hasPrefix("Uid:") }) else { return nil }
        return line.dropFirst("Uid:".count).split(separator: "\t").first.flatMap { UInt32($0) }
    }
}
