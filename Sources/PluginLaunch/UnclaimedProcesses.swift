// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The treatment of unclaimed processes: children of this process that carry no mark of a launch, and that it did not
/// have when the launcher was created. A process that removes its mark becomes such a child when its parent ends.
package enum UnclaimedProcesses: Sendable {
    /// They are left alone, for a process that starts children of its own.
    case left
    /// They are killed and reported, for a process whose only children are runners.
    ///
    /// - Parameter reported: called once per process, on the launch thread; must not block.
    case killed(reported: @Sendable (UnclaimedProcess) -> Void)
}

/// An unclaimed process that was killed.
package struct UnclaimedProcess: Hashable, Sendable {
    package let pid: Int32
    /// The name of its program, as in `/proc/PID/comm`.
    package let program: String
}
