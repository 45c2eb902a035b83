// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The mechanisms of a host that limit the resources of launches.
package struct LimitMechanisms: Hashable, Sendable {
    /// The controllers of the control groups of launches; nil when launches have no control groups.
    package let controllers: Set<String>?
    /// Whether the operator has disabled control groups.
    package let hasGroupsOff: Bool
    /// Whether plugins have users of their own.
    package let hasOwnUsers: Bool
    /// The operator's limits for each launch. A manifest can only lower them.
    package let limits: PluginLimits
    /// The watch of the disk of the containers.
    package let diskWatch: DiskWatching

    /// The watch of the free space of a disk: its source of the bytes that each launch writes.
    package enum DiskWatching: Hashable, Sendable {
        /// The disk is not watched: the launches run without a host, or the host is configured without a reserve.
        case none
        /// The host reads the written bytes from this source, and ends the launch that uses up the reserve.
        case attributed(source: String)
        /// The host cannot read the written bytes; the value is the reason. While the reserve is used up, background
        /// work waits, and no launch is ended.
        case unattributed(String)
    }

    /// The reason why the last started launch has no control group; nil when it has one, and before the first launch.
    package var missingGroup: String?

    package init(
        controllers: Set<String>?,
        hasGroupsOff: Bool,
        hasOwnUsers: Bool,
        limits: PluginLimits,
        diskWatch: DiskWatching
    ) {
        self.controllers = controllers
        self.hasGroupsOff = hasGroupsOff
        self.hasOwnUsers = hasOwnUsers
        self.limits = limits
        self.diskWatch = diskWatch
    }

    package static let none = LimitMechanisms(
        controllers: nil,
        hasGroupsOff: false,
        hasOwnUsers: false,
        limits: .none,
        diskWatch: .none
    )

    var memory: Guarantee.Enforcement {
        if let reason = reason(without: "memory") { return .notEnforced(reason) }
        let scope = limits.memory == nil ? ", for manifests with limits.memory" : ""
        return .enforced(by: "control group (memory.max)\(scope)")
    }

    var processes: Guarantee.Enforcement {
        guard let reason = reason(without: "pids") else { return .enforced(by: "control group (pids.max)") }
        return hasOwnUsers
            ? .enforced(by: "setrlimit (RLIMIT_NPROC), for the user of each plugin") : .notEnforced(reason)
    }

    /// The enforcement of the guarantee `disk`. Launches have no quota: a project quota needs a file system and mount
    /// options of the operator.
    ///
    /// - Parameter cause: the reason why launches have no filter of system calls; nil when they have one. Without the
    ///   filter, a plugin can allocate space that the kernel does not count as written.
    func disk(withoutFilter cause: String?) -> Guarantee.Enforcement {
        let scope = limits.fileSize == nil ? ", for manifests with limits.file-size" : ""
        let file = "setrlimit (RLIMIT_FSIZE)\(scope)"
        switch diskWatch {
        case .none: return .notEnforced("no host watches the free space of the disk")
        case .attributed(let source):
            if let cause {
                return .notEnforced(
                    "\(cause): a plugin can allocate space without writing (fallocate), which \(source) does not count,"
                        + " and the launch is then not ended; the size of a file is limited by \(file)"
                )
            }
            return .enforced(by: "\(file); the host watches free space and inodes, and written bytes by \(source)")
        case .unattributed(let reason):
            return .notEnforced(
                "\(reason): while the disk lacks its reserve, background work waits, but no launch is ended; the size"
                    + " of a file is limited by \(file)"
            )
        }
    }

    /// The reason why launches cannot be limited by a controller; nil when they can.
    private func reason(without controller: String) -> String? {
        guard let controllers else {
            return hasGroupsOff
                ? "control groups are disabled (cgroup: none)"
                : "the host can create no control groups; delegate a cgroup v2 subtree to it (Delegate=yes)"
        }
        if let missingGroup { return "the last started launch has no control group: \(missingGroup)" }
        return controllers.contains(controller)
            ? nil
            : "the control groups of the host lack the controller \(controller) of cgroup v2; delegate it"
                + " (Delegate=yes), or enable it in the kernel"
    }
}
