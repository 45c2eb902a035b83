// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The place where this machine stores core files.
enum CoreFiles: Hashable {
    /// In the working directory of the process: the root directory, or one that the plugin chose. Core files there are
    /// neither collected nor removed.
    case inWorkingFolder
    /// In a directory, or piped to a program, as configured by the administrator.
    case collected

    /// - Parameter pattern: contents of `/proc/sys/kernel/core_pattern`.
    init(pattern: String) {
        self = pattern.hasPrefix("/") || pattern.hasPrefix("|") ? .collected : .inWorkingFolder
    }

    static var ofThisMachine: CoreFiles {
        CoreFiles(pattern: FileBytes.text("/proc/sys/kernel/core_pattern", limit: 4096) ?? "core")
    }
}
