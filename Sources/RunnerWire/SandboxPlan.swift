// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The sandbox of one launch, which the runner applies to itself before it loads the plugin.
package struct SandboxPlan: Hashable, Sendable {
    /// Access to a file, or to a directory with everything below it.
    package enum Access: UInt8, Sendable, CaseIterable {
        case read = 1
        /// Writing and reading.
        case write = 2
        /// Executing and reading.
        case execute = 3
        /// Connecting to a Unix socket. Without a right of Landlock for it, the rule grants nothing.
        case unix = 4
        /// Reading, writing and controlling devices.
        case device = 5
    }

    /// A TCP port, with the rights of Landlock to it.
    package struct Port: Hashable, Sendable {
        package let number: UInt16
        package let rights: UInt64

        package init(_ number: UInt16, rights: UInt64) {
            self.number = number
            self.rights = rights
        }
    }

    package struct Place: Hashable, Sendable {
        package let path: String
        package let access: Access
        /// Limits of the operator, each a path that contains `path`. The place is left out when a symbolic link leads
        /// out of one of them.
        package let within: [String]

        package init(path: String, access: Access, within: [String] = []) {
            self.path = path
            self.access = access
            self.within = within
        }
    }

    /// The rights that Landlock refuses unless a rule grants them; nil when the kernel has no Landlock.
    package let landlock: LandlockRights?
    /// The place that is opened for the library: its directory, or the library file.
    package let library: String
    /// Files in the directory of the library file that are opened, too; empty when the whole directory is opened, when
    /// the library has none, or when the library file alone is opened.
    package let companions: [CompanionFile]
    /// Places that the plugin's grants name.
    package let granted: [Place]
    /// TCP ports that the plugin's grants name.
    package let ports: [Port]
    /// Places of the host. A granted place is left out when it is one of these places, contains one or lies in one.
    package let reserved: [String]
    /// The filter of system calls, as an array of the kernel's `struct sock_filter`; empty without a filter.
    package let filter: [UInt8]

    package init(
        landlock: LandlockRights?,
        library: String,
        companions: [CompanionFile] = [],
        granted: [Place],
        ports: [Port] = [],
        reserved: [String],
        filter: [UInt8]
    ) {
        self.landlock = landlock
        self.library = library
        self.companions = companions
        self.granted = granted
        self.ports = ports
        self.reserved = reserved
        self.filter = filter
    }
}

/// Sets of Landlock rights, with the bits of the kernel's interface.
package struct LandlockRights: Hashable, Sendable {
    package var files: UInt64
    package var network: UInt64
    package var scopes: UInt64

    package init(files: UInt64, network: UInt64, scopes: UInt64) {
        self.files = files
        self.network = network
        self.scopes = scopes
    }
}
