// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The treatment of unclaimed processes. An unclaimed process is a child of this process that carries no mark of a
/// launch and was no child when the launcher was created. A process of a launch that removes its mark becomes an
/// unclaimed process when its parent ends.
package enum UnclaimedProcesses: Sendable {
    /// Unclaimed processes are left alone. For a process that also starts children other than runners.
    case left
    /// Unclaimed processes are killed and reported. For a process whose only children are runners.
    ///
    /// - Parameter reported: called once per process, on the launch thread; must not block.
    case killed(reported: @Sendable (UnclaimedProcess) -> Void)
}

/// A process that was killed because no running launch claims it: a child without the mark of a launch (see
/// `UnclaimedProcesses`), or a process of an earlier host.
package struct UnclaimedProcess: Hashable, Sendable {
    package let pid: Int32
    /// The name of its program, as in `/proc/PID/comm`.
    package let program: String

    /// The name of the program of a process; "unknown" when the process is gone.
    static func program(of pid: Int32) -> String {
        FileBytes.text("/proc/\(pid)/comm", limit: 64)?.split(separator: "\n").first.map(String.init) ?? "unknown"
    }
}
