// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

/// The purpose of a descriptor that the launch thread polls.
enum LaunchInterest: Hashable {
    case wakeChannel
    case killTimer
    case leader(LaunchNumber)
    /// The idle runner with this process number.
    case idle(Int32)
    case control(LaunchNumber)
    /// The listener of the sandbox, at which refused system calls wait.
    case refusals(LaunchNumber)
    case output(LaunchNumber, RunnerOutput)
    case leftover(LaunchNumber)
    case group(LaunchNumber)
    case stale(Int)
}

typealias LaunchPoller = EpollSet<LaunchInterest>
