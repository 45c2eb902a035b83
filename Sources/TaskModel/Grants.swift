// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The access that a plugin requests in its manifest, beyond its library and its container. The default is none.
package struct Grants: Hashable, Sendable {
    /// A setting of the plugin whose value is a path, and the access that the plugin requests to this path.
    package struct Setting: Hashable, Sendable {
        package enum Access: String, Hashable, Sendable, CaseIterable {
            case read
            /// Write access, which includes read access.
            case write
        }

        package let key: String
        package let access: Access

        package init(key: String, access: Access) {
            self.key = key
            self.access = access
        }
    }

    package let network: Bool
    /// Whether the plugin requests to start processes and to execute programs.
    package let processes: Bool
    /// Absolute paths that the plugin reads: files, or directories with everything below them.
    package let read: [String]
    /// Absolute paths that the plugin reads and writes.
    package let write: [String]
    /// Absolute paths of the programs and libraries outside of the system's directories that the plugin executes or
    /// loads.
    package let execute: [String]
    package let settings: [Setting]

    package static let none = Grants()

    package init(
        network: Bool = false,
        processes: Bool = false,
        read: [String] = [],
        write: [String] = [],
        execute: [String] = [],
        settings: [Setting] = []
    ) {
        self.network = network
        self.processes = processes
        self.read = read
        self.write = write
        self.execute = execute
        self.settings = settings
    }
}
