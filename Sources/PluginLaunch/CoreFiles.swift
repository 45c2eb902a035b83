// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// Where this machine puts what was in the memory of a process that crashed. Decides nothing about it.
enum CoreFiles: Hashable {
    /// In whatever folder the process stands: the root folder, or one that the plugin chose. Nobody looks for it there,
    /// and nobody takes it away.
    case inWorkingFolder
    /// Where whoever set the machine up wants them, in a folder or with a program.
    case collected

    /// - Parameter pattern: as in `/proc/sys/kernel/core_pattern`.
    init(pattern: String) {
        self = pattern.hasPrefix("/") || pattern.hasPrefix("|") ? .collected : .inWorkingFolder
    }

    static var ofThisMachine: CoreFiles {
        CoreFiles(pattern: FileBytes.text("/proc/sys/kernel/core_pattern", limit: 4096) ?? "core")
    }
}
