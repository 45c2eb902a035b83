// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A promise of the host about every sandboxed plugin.
package enum Guarantee: String, Hashable, Sendable, CaseIterable {
    /// Files are out of reach, except the container, the library, the granted paths, and the places that every plugin
    /// may use, such as `/usr`.
    case files
    /// The host's control socket is out of reach.
    case controlSocket = "control-socket"
    /// The network is out of reach, except what the grants `network`, `connect` and `listen` open.
    case network
    /// Other processes cannot be signalled, traced, limited or read.
    case neighbours
    /// No process of a launch is left behind when the launch ends.
    case descendants
    case memory
    case processes
    /// The size of a file is limited, and a launch that fills the disk of the containers is expired or killed.
    case disk
    case descriptors
    /// No program gains privileges.
    case privileges
    /// A plugin can make only the system calls that the filter of its launch permits.
    case systemCalls = "system-calls"

    /// Whether the guarantee is a limit of launches, which does not belong to the sandbox. It depends on the host, not
    /// on the kernel: on its control groups and its watch of the disk.
    package var isLimit: Bool { self == .memory || self == .processes || self == .disk }

    /// The guarantees of the sandbox, which `isolation: required` demands. A list can demand others.
    package static let ofSandbox = Set(allCases.filter { !$0.isLimit })
}
