// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The process namespaces of processes, as `/proc` shows them.
enum ProcessNamespace {
    /// Whether a process runs in the namespace of `/proc`, and not in an inner one, whose host may be alive; false for a
    /// zombie, which cannot be killed.
    static func hasLiving(_ pid: Int32) -> Bool {
        FileBytes.text("/proc/\(pid)/status", limit: 4096).map(hasLiving(inStatus:)) ?? false
    }

    static func hasLiving(inStatus status: String) -> Bool {
        let lines = status.split(separator: "\n")
        func value(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix(name) }?.dropFirst(name.count).drop { $0 == "\t" || $0 == " " }
        }
        if let state = value("State:")?.first, state == "Z" || state == "X" { return false }
        // One number for each namespace in which the process is visible. Kernels without namespaces have no such line.
        return value("NSpid:").map { $0.split(separator: "\t").count == 1 } ?? true
    }
}
