// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// How the command ends, as its caller's shell sees it.
package enum ExitStatus: Int32, Hashable, Sendable {
    case done = 0
    case refused = 1
    case misuse = 2
    case unreachable = 3

    // Of the checker alone.
    case checkerFailed = 4
    case cannotBeLoaded = 5
    case passedWithExclusions = 6
}
