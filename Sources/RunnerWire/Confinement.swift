// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The data by which a runner confines itself before it maps any code of the plugin. Sent while the launch, or the
/// request that causes it, is being committed; the plan follows after the commit of the launch.
package struct Confinement: Hashable, Sendable {
    /// The user and group that the runner changes to; nil for the host's user.
    package let user: UInt32?
    /// Maximum number of processes and threads of `user`; nil when the launch has no user of its own, or without a
    /// limit.
    package let processLimit: UInt32?
    /// Maximum size in bytes of a file that the process writes; nil for no limit.
    package let fileLimit: UInt64?
    /// Number that the runner adds to its nice value. A number above 0 also lowers the runner's priority for disks.
    package let nice: UInt8
    /// Path of the directory to which the plugin may write.
    package let containerPath: String
    /// The sandbox of the launch; nil when the host's isolation is off.
    package let sandbox: SandboxPlan?

    package init(
        user: UInt32? = nil,
        processLimit: UInt32? = nil,
        fileLimit: UInt64? = nil,
        nice: UInt8 = 0,
        containerPath: String,
        sandbox: SandboxPlan? = nil
    ) {
        self.user = user
        self.processLimit = processLimit
        self.fileLimit = fileLimit
        self.nice = nice
        self.containerPath = containerPath
        self.sandbox = sandbox
    }

    /// Whether the launch has a filter of system calls, which the runner reports once the filter is in effect.
    package var isFiltered: Bool { sandbox?.filter.isEmpty == false }
}
