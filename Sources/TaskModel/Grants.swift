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

    /// Whether the plugin requests the whole network, instead of single TCP ports.
    package let network: Bool
    /// TCP ports to which the plugin connects, at every address; empty with `network`.
    package let connect: [Int]
    /// TCP ports at which the plugin accepts connections; empty with `network`.
    package let listen: [Int]
    /// Absolute paths of the Unix sockets to which the plugin connects, or of directories of such sockets.
    package let unix: [String]
    /// Whether the plugin requests the graphics processors of the machine.
    package let gpu: Bool
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

    package static let ports = 1...65_535

    package static let none = Grants()

    package init(
        network: Bool = false,
        connect: [Int] = [],
        listen: [Int] = [],
        unix: [String] = [],
        gpu: Bool = false,
        processes: Bool = false,
        read: [String] = [],
        write: [String] = [],
        execute: [String] = [],
        settings: [Setting] = []
    ) {
        self.network = network
        self.connect = connect
        self.listen = listen
        self.unix = unix
        self.gpu = gpu
        self.processes = processes
        self.read = read
        self.write = write
        self.execute = execute
        self.settings = settings
    }
}
