// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One thing that keeps a request or an event from running now, in the order in which changes are proposed (C13).
package enum Reason: Hashable, Sendable {
    // What the operator or the vendor would have to change.
    case pluginMissing(PluginIdentifier)
    case pluginRefused(PluginIdentifier, problem: String)
    case pluginDisabled(PluginIdentifier)
    case identifierNotPermitted(TaskIdentifier)
    case modeMissing(BackgroundMode)

    // What time changes.
    case earliestBegin(WallTime)
    case retryDelay(until: WallTime, attempts: Int)
    case spacing(until: MonotonicTime)

    // What the machine changes.
    case externalPower
    case network

    // What other work changes.
    case laneBusy(Lane, LaunchNumber)
    case othersRunAlone(first: String)
    case launchLimit(Lane, limit: Int)

    // What the host itself changes.
    case beingRecorded
    case runnerUnavailable(until: MonotonicTime, message: String)
    case hostStopping
}
