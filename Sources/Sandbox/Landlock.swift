// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
package import RunnerWire

/// Rights of Landlock, the kernel's mechanism that confines a process to certain files, ports and processes. A process
/// under a ruleset has those rights of the ruleset that a rule grants; the kernel refuses the others.
package enum Landlock {
    // Rights to files, by the bit numbers of the kernel's interface.
    static let execute: UInt64 = 1 << 0
    static let writeFile: UInt64 = 1 << 1
    static let readFile: UInt64 = 1 << 2
    static let readDirectory: UInt64 = 1 << 3
    static let removeDirectory: UInt64 = 1 << 4
    static let removeFile: UInt64 = 1 << 5
    static let makeDirectory: UInt64 = 1 << 7
    static let makeRegular: UInt64 = 1 << 8
    static let makeFIFO: UInt64 = 1 << 10
    static let makeSymbolicLink: UInt64 = 1 << 12
    static let refer: UInt64 = 1 << 13
    package static let truncate: UInt64 = 1 << 14
    package static let controlDevice: UInt64 = 1 << 15
    /// Connecting to Unix sockets that lie in the file system and that processes outside of the sandbox created.
    package static let resolveUnix: UInt64 = 1 << 16

    /// Rights that concern the entries of a directory. The kernel rejects a rule that grants them for a file.
    static let ofDirectories =
        readDirectory | removeDirectory | removeFile | makeDirectory | makeRegular | makeFIFO | makeSymbolicLink | refer

    static let reading = readFile | readDirectory
    /// Rights to write, truncate, create, move and remove files and directories, without the creation of devices and
    /// sockets.
    static let writing = writeFile | truncate | (ofDirectories & ~readDirectory)

    /// Rights to bind and to connect TCP sockets.
    package static let network: UInt64 = bind | connect
    package static let bind: UInt64 = 0b01
    package static let connect: UInt64 = 0b10
    /// Rights to connect to abstract Unix sockets of processes outside of the sandbox, and to signal such processes.
    package static let scopes: UInt64 = 0b11

    /// The rights that each version of Landlock's interface added, newest version first.
    private static let additions: [(files: UInt64, network: UInt64, scopes: UInt64)] = [
        (resolveUnix, 0, 0), (0, 0, scopes), (controlDevice, 0, 0), (0, network, 0), (truncate, 0, 0), (refer, 0, 0),
        ((1 << 13) - 1, 0, 0),
    ]

    /// The rights that this kernel handles, found by creating rulesets; nil without Landlock. A version number alone is
    /// no proof: kernels of distributions have announced versions with rights left out.
    package static func offered() -> LandlockRights? {
        for first in additions.indices {
            var rights = LandlockRights(files: 0, network: 0, scopes: 0)
            for addition in additions[first...] {
                rights.files |= addition.files
                rights.network |= addition.network
                rights.scopes |= addition.scopes
            }
            let ruleset = bgl_landlock_create(rights.files, rights.network, rights.scopes)
            if ruleset >= 0 {
                close(ruleset)
                return rights
            }
        }
        return nil
    }

    /// Version of the kernel's interface, for display; 0 without Landlock.
    package static var version: Int { Int(max(0, bgl_landlock_version())) }

    /// The rights, as bits, that a kind of access needs.
    static func rights(_ access: SandboxPlan.Access) -> UInt64 {
        switch access {
        case .read: reading
        case .write: reading | writing
        case .execute: reading | execute
        case .unix: resolveUnix
        case .device: reading | writeFile | controlDevice
        }
    }
}
