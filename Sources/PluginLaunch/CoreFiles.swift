// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The location at which this machine stores core files.
enum CoreFiles: Hashable {
    /// In the working directory of the process: the root directory, or a directory that the plugin chose. Core files
    /// there are neither collected nor removed.
    case inWorkingDirectory
    /// In a fixed directory, or piped to a program, as the administrator configured.
    case collected

    /// Determines the location.
    ///
    /// - Parameter pattern: contents of `/proc/sys/kernel/core_pattern`.
    init(pattern: String) {
        self = pattern.hasPrefix("/") || pattern.hasPrefix("|") ? .collected : .inWorkingDirectory
    }

    static var ofThisMachine: CoreFiles {
        CoreFiles(pattern: FileBytes.text("/proc/sys/kernel/core_pattern", limit: 4096) ?? "core")
    }
}
