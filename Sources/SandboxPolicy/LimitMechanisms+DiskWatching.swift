// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension LimitMechanisms.DiskWatching {
    /// Chooses the source from which a host reads the bytes that its launches write: `/proc/PID/io`, else the control
    /// groups, else none.
    ///
    /// - Parameters:
    ///   - hasOwnUsers: whether plugins have users of their own.
    ///   - tracesOthers: whether the host may read the counters of processes of other users (`CAP_SYS_PTRACE`).
    ///   - controllers: the controllers of the control groups of launches; nil when launches have none.
    ///   - uncounted: the reason why control groups do not count writes to the disk; nil when they count them.
    package init(hasOwnUsers: Bool, tracesOthers: Bool, controllers: Set<String>?, uncounted: String?) {
        if !hasOwnUsers || tracesOthers {
            self = .attributed(source: "/proc/PID/io")
        } else if controllers?.contains("io") == true, uncounted == nil {
            self = .attributed(source: "control group (io.stat)")
        } else {
            let groups =
                uncounted
                ?? "launches have no control groups with the controller io (they need Delegate=yes and no cgroup: none)"
            self = .unattributed(
                "the host cannot read /proc/PID/io of plugins with users of their own (it lacks CAP_SYS_PTRACE), and"
                    + " \(groups)"
            )
        }
    }
}
