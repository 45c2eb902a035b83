// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
package import MessageBus

/// The paths that the sensors read, and the address of the system bus. Tests replace them by directories and a bus of
/// their own.
package struct SystemRoots: Hashable, Sendable {
    /// Path of the directory `/sys`. `proc` and `dev` are the paths of `/proc` and `/dev`.
    package var sys: String
    package var proc: String
    package var dev: String
    package var fileSystemTable: String
    /// Directories of systemd's mount units, in the order of precedence.
    package var units: [String]
    package var systemBus: BusAddress

    package init(
        sys: String = "/sys",
        proc: String = "/proc",
        dev: String = "/dev",
        fileSystemTable: String = "/etc/fstab",
        units: [String] = SystemRoots.unitDirectories,
        systemBus: BusAddress = .system(environment: ProcessInfo.processInfo.environment)
    ) {
        self.sys = sys
        self.proc = proc
        self.dev = dev
        self.fileSystemTable = fileSystemTable
        self.units = units
        self.systemBus = systemBus
    }

    package static let unitDirectories = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map {
        "\($0)/systemd/system"
    }
}
