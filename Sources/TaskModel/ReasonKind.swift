// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A reason without its values. Each case has one row. The order of the cases is the order in which `why` proposes the
/// remedies (C13).
///
/// Explanations, the wait history, wake-ups, the capacity queue, replays and the API's enumeration are derived from the
/// rows. `Reason` contains message and remedy.
package enum ReasonKind: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    case pluginMissing
    case pluginRefused
    case pluginDisabled
    case pluginPaused
    case identifierNotPermitted
    case modeMissing
    case entitlementMissing
    case pluginTooOld
    case backgroundDenied
    case backgroundRefreshOff
    case transferLibraryMissing
    case networkNotGranted
    case transferPaused
    case deadlinePassed
    case leaseUnconfirmed
    case earliestBegin
    case retryDelay
    case relaunchSpacing
    case spacing
    case kindSpacing
    case dayBudget
    case stagger
    case useSpacing
    case externalPower
    case network
    case metered
    case containerLocked
    case resourcesMissing
    case useUnknown
    case notIdle
    case highLoad
    case batteryLow
    case powerSaver
    case memoryPressure
    case heat
    case downloadUnfinished
    case laneBusy
    case othersRunAlone
    case launchLimit
    case diskReserve
    case beingRecorded
    case runnerUnavailable
    case hostStopping

    package struct Row: Sendable {
        /// The name of the reason in the API, in the ledger and on the command line.
        package let code: String
        package let group: Group
        package let traits: Traits
        /// Conditions whose change may end the reason.
        package let conditions: MachineConditions

        fileprivate init(
            _ code: String,
            _ group: Group,
            _ traits: Traits = [],
            until conditions: MachineConditions = []
        ) {
            self.code = code
            self.group = group
            self.traits = traits
            self.conditions = conditions
        }
    }

    /// The kind of change that ends the reason.
    package enum Group: Hashable, Sendable, CaseIterable {
        /// Reasons that end by a change of manifest or configuration, or when the operator resumes the plugin.
        case permission
        case time
        case machine
        case otherWork
        case host
    }

    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A reason that delays work for a bounded time (C12), and that does not apply to a launch requested by a user.
        package static let advisory = Traits(rawValue: 1)
        /// A reason that ends by itself: at a known time, with the end of other work, or with an action of the host.
        /// The day budget and the spacings of a kind, which delay for hours or minutes, are excepted.
        package static let momentary = Traits(rawValue: 2)
        /// A reason that blocks all requests of the plugin in a lane as soon as it blocks one of them.
        package static let wholePlugin = Traits(rawValue: 4)
        /// A reason that ends at a time stored with the work, such as its earliest begin.
        package static let ownTime = Traits(rawValue: 8)
        /// A reason that ends when capacity is free and it is the plugin's turn to use it.
        package static let capacity = Traits(rawValue: 16)
    }

    package var row: Row {
        switch self {
        case .pluginMissing: Row("plugin-missing", .permission, .wholePlugin)
        case .pluginRefused: Row("plugin-refused", .permission, .wholePlugin)
        case .pluginDisabled: Row("plugin-disabled", .permission, .wholePlugin)
        case .pluginPaused: Row("plugin-paused", .permission, .wholePlugin)
        case .identifierNotPermitted: Row("identifier-not-permitted", .permission)
        case .modeMissing: Row("mode-missing", .permission)
        case .entitlementMissing: Row("entitlement-missing", .permission)
        case .pluginTooOld: Row("plugin-too-old", .permission)
        case .backgroundDenied: Row("background-denied", .permission, .wholePlugin)
        case .backgroundRefreshOff: Row("background-refresh-off", .permission)
        case .transferLibraryMissing: Row("transfer-library-missing", .permission)
        case .networkNotGranted: Row("network-not-granted", .permission)
        case .transferPaused: Row("transfer-paused", .permission)
        case .deadlinePassed: Row("deadline-passed", .time, .momentary)
        case .leaseUnconfirmed: Row("lease-unconfirmed", .time, .momentary)
        case .earliestBegin: Row("earliest-begin", .time, [.momentary, .ownTime])
        case .retryDelay: Row("retry-delay", .time, [.momentary, .ownTime])
        case .relaunchSpacing: Row("relaunch-spacing", .time, [.momentary, .ownTime])
        case .spacing: Row("spacing", .time, [.advisory, .momentary, .wholePlugin])
        case .kindSpacing: Row("kind-spacing", .time, .advisory)
        case .dayBudget: Row("day-budget", .time, [.advisory, .wholePlugin])
        case .stagger: Row("stagger", .time, [.advisory, .momentary])
        case .useSpacing: Row("use-spacing", .time, .advisory)
        case .externalPower: Row("external-power", .machine, until: .externalPower)
        case .network: Row("network", .machine, until: .network)
        case .metered: Row("metered", .machine, until: MachineConditions(.metered))
        case .containerLocked: Row("container-locked", .machine, until: .containers)
        case .resourcesMissing: Row("resources-missing", .machine, until: .resources)
        case .useUnknown: Row("use-unknown", .machine, until: .sampled)
        case .notIdle: Row("not-idle", .machine, .advisory, until: .sampled)
        case .highLoad: Row("high-load", .machine, .advisory, until: .sampled)
        case .batteryLow: Row("battery-low", .machine, .advisory, until: MachineConditions(.batteryLow))
        case .powerSaver: Row("power-saver", .machine, .advisory, until: MachineConditions(.powerSaver))
        case .memoryPressure: Row("memory-pressure", .machine, .wholePlugin, until: .memory)
        case .heat: Row("heat", .machine, .wholePlugin, until: .heat)
        case .downloadUnfinished: Row("download-unfinished", .otherWork)
        case .laneBusy: Row("lane-busy", .otherWork, [.momentary, .wholePlugin])
        case .othersRunAlone: Row("others-run-alone", .otherWork, .momentary)
        case .launchLimit: Row("launch-limit", .otherWork, [.momentary, .wholePlugin, .capacity])
        case .diskReserve: Row("disk-reserve", .otherWork, [.wholePlugin, .capacity])
        case .beingRecorded: Row("being-recorded", .host, .momentary)
        case .runnerUnavailable: Row("runner-unavailable", .host, [.momentary, .wholePlugin])
        case .hostStopping: Row("host-stopping", .host, [.momentary, .wholePlugin])
        }
    }

    /// The condition whose state is the reason; nil for other reasons.
    package var condition: Condition? {
        switch self {
        case .externalPower: .externalPower
        case .network: .network
        case .metered: .metered
        case .resourcesMissing: .gpu
        case .notIdle: .idle
        case .highLoad: .highLoad
        case .batteryLow: .batteryLow
        case .powerSaver: .powerSaver
        case .memoryPressure: .lowMemory
        case .heat: .hot
        default: nil
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Creates the kind with that code; nil for an unknown code.
    package init?(code: String) {
        guard let kind = Self.byCode[code] else { return nil }
        self = kind
    }

    private static let byCode = Dictionary(uniqueKeysWithValues: allCases.map { ($0.row.code, $0) })
}
