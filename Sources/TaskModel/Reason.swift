// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One thing that keeps a request or an event from running now, in the order in which changes are proposed (C13).
package enum Reason: Hashable, Sendable {
    // What the operator or the vendor would have to change.
    case pluginMissing(PluginIdentifier)
    case pluginRefused(PluginIdentifier, problem: String)
    case pluginDisabled(PluginIdentifier)
    case identifierNotPermitted(TaskIdentifier)
    case modeMissing(BackgroundMode)
    case entitlementMissing(Entitlement)
    /// The operator denies the plugin all background work.
    case backgroundDenied(PluginIdentifier)
    /// The operator switched refresh off, for the host or, when it is named, for the plugin.
    case backgroundRefreshOff(PluginIdentifier?)

    // What time changes.
    case earliestBegin(WallTime)
    case retryDelay(until: WallTime, attempts: Int)
    case spacing(until: MonotonicTime)
    case dayBudget(until: WallTime, limit: Duration)
    case spread(until: MonotonicTime, after: SpreadCause)

    // What the machine changes.
    case externalPower
    case network
    case containerLocked(PluginIdentifier)
    case resourcesMissing
    /// Nobody has looked yet; a moment later somebody has.
    case useUnknown
    case notIdle
    case highLoad
    case memoryPressure
    case heat

    // What other work changes.
    case laneBusy(Lane, LaunchNumber)
    case othersRunAlone(first: String)
    case launchLimit(Lane, limit: Int)

    // What the host itself changes.
    case beingRecorded
    case runnerUnavailable(until: MonotonicTime, message: String)
    case hostStopping

    /// The place in the order in which changes are proposed.
    package var rank: Int {
        switch self {
        case .pluginMissing: 0
        case .pluginRefused: 1
        case .pluginDisabled: 2
        case .identifierNotPermitted: 3
        case .modeMissing: 4
        case .entitlementMissing: 5
        case .backgroundDenied: 6
        case .backgroundRefreshOff: 7
        case .earliestBegin: 8
        case .retryDelay: 9
        case .spacing: 10
        case .dayBudget: 11
        case .spread: 12
        case .externalPower: 13
        case .network: 14
        case .containerLocked: 15
        case .resourcesMissing: 16
        case .useUnknown: 17
        case .notIdle: 18
        case .highLoad: 19
        case .memoryPressure: 20
        case .heat: 21
        case .laneBusy: 22
        case .othersRunAlone: 23
        case .launchLimit: 24
        case .beingRecorded: 25
        case .runnerUnavailable: 26
        case .hostStopping: 27
        }
    }

    /// An advisory reason delays work for a bounded time (C12), and gives way to a user's request.
    package var isAdvisory: Bool {
        switch self {
        case .spacing, .dayBudget, .spread, .notIdle, .highLoad: true
        default: false
        }
    }
}

/// What lets many requests become eligible in one moment, and is therefore spread (policies).
package enum SpreadCause: String, Hashable, Sendable, CaseIterable {
    case boot
    case resume
    case network

    package var words: String {
        switch self {
        case .boot: "the machine started"
        case .resume: "the machine resumed"
        case .network: "the network came back"
        }
    }
}
