// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The process namespace of a process, as `/proc` shows it.
enum ProcessNamespace {
    /// The process namespace to which the mounted `/proc` belongs.
    case own
    /// A namespace below that of `/proc`. It may have a host of its own.
    case inner

    /// The namespace of a process; nil when the process is gone or a zombie, which cannot be killed.
    static func of(_ pid: Int32) -> ProcessNamespace? {
        FileBytes.text("/proc/\(pid)/status", limit: 4096).flatMap(read(inStatus:))
    }

    /// The namespace in the contents of `/proc/PID/status`; nil for a zombie.
    static func read(inStatus status: String) -> ProcessNamespace? {
        let lines = status.split(separator: "\n")
        func value(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix(name) }?.dropFirst(name.count).drop { $0 == "\t" || $0 == " " }
        }
        if let state = value("State:")?.first, state == "Z" || state == "X" { return nil }
        // One number for each namespace in which the process is visible. Kernels without namespaces have no such line.
        guard let numbers = value("NSpid:") else { return .own }
        return numbers.split(separator: "\t").count == 1 ? .own : .inner
    }
}
