// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The exit status of `bgtask`; the raw value is the number for the shell.
package enum ExitStatus: Int32, Hashable, Sendable {
    case done = 0
    case refused = 1
    case misuse = 2
    case unreachable = 3

    // Only of `run --wait`: the outcome of the task, and the end of the time limit, with the status of timeout(1).
    case taskFailed = 10
    case taskExpired = 11
    case taskAbandoned = 12
    case taskCancelled = 13
    case timedOut = 124

    // 128 plus the number of the signal, as a shell reports it.
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    // Only of `plugin check`.
    case checkerFailed = 4
    case cannotBeLoaded = 5
    case passedWithExclusions = 6
}
