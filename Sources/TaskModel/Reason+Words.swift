// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The words for the scheduler's reasons: a code for programs, a sentence and a remedy for people.
extension Reason {
    package var code: String {
        switch self {
        case .pluginMissing: "plugin-missing"
        case .pluginRefused: "plugin-refused"
        case .pluginDisabled: "plugin-disabled"
        case .identifierNotPermitted: "identifier-not-permitted"
        case .modeMissing: "mode-missing"
        case .entitlementMissing: "entitlement-missing"
        case .backgroundDenied: "background-denied"
        case .backgroundRefreshOff: "background-refresh-off"
        case .earliestBegin: "earliest-begin"
        case .retryDelay: "retry-delay"
        case .spacing: "spacing"
        case .dayBudget: "day-budget"
        case .spread: "spread"
        case .externalPower: "external-power"
        case .network: "network"
        case .containerLocked: "container-locked"
        case .resourcesMissing: "resources-missing"
        case .useUnknown: "use-unknown"
        case .notIdle: "not-idle"
        case .highLoad: "high-load"
        case .memoryPressure: "memory-pressure"
        case .heat: "heat"
        case .laneBusy: "lane-busy"
        case .othersRunAlone: "others-run-alone"
        case .launchLimit: "launch-limit"
        case .beingRecorded: "being-recorded"
        case .runnerUnavailable: "runner-unavailable"
        case .hostStopping: "host-stopping"
        }
    }

    // Instants are left to `until`: only the reader knows in which zone to show them.
    package var message: String {
        switch self {
        case .pluginMissing(let plugin): "plugin \(plugin) is not installed"
        case .pluginRefused(let plugin, let problem): "the manifest of \(plugin) is refused: \(problem)"
        case .pluginDisabled(let plugin): "plugin \(plugin) is disabled by the operator"
        case .identifierNotPermitted(let task): "the manifest does not permit \(task)"
        case .modeMissing(let mode): "the manifest does not have the background mode \(mode.rawValue)"
        case .entitlementMissing(let entitlement): "the manifest does not have the entitlement \(entitlement.rawValue)"
        case .backgroundDenied(let plugin): "the operator denies \(plugin) background work"
        case .backgroundRefreshOff(let plugin):
            "the operator switched background refresh off" + (plugin.map { " for \($0)" } ?? "")
        case .earliestBegin: "its earliest begin is still to come"
        case .retryDelay(_, let attempts):
            attempts == 0
                ? "it was interrupted and waits before it runs again"
                : "it was interrupted and waits before it runs again; attempts charged: \(attempts)"
        case .spacing: "the plugin's last launch ended only just now"
        case .dayBudget(_, let limit):
            "the plugin's launches of the last day have used its \(limit.humanReadable) of running time"
        case .spread(_, let cause): "\(cause.words) only just now, and not everything is to begin at once"
        case .externalPower: "it needs external power, and there is none"
        case .network: "it needs a network, and there is none"
        case .containerLocked(let plugin): "the container of \(plugin) is not known to be mounted and unlocked"
        case .resourcesMissing: "it needs a resource that this machine does not have"
        case .useUnknown: "nobody has looked yet how busy and how hot the machine is"
        case .notIdle: "the machine is in use"
        case .highLoad: "the processors are busy"
        case .memoryPressure: "memory is short"
        case .heat: "the machine is hot"
        case .laneBusy(let lane, let launch): "the plugin's \(lane.name) lane is taken by launch \(launch)"
        case .othersRunAlone(let first): "\(first) was interrupted and runs alone first"
        case .launchLimit(let lane, let limit): "the host runs its \(limit) \(lane.name) launches already"
        case .beingRecorded: "it is being written to the ledger"
        case .runnerUnavailable(_, let message): "no runner could be started: \(message)"
        case .hostStopping: "the host is stopping"
        }
    }

    package var remedy: String {
        switch self {
        case .pluginMissing(let plugin): "install \(plugin)"
        case .pluginRefused(let plugin, _): "mend the manifest of \(plugin)"
        case .pluginDisabled(let plugin): "enable \(plugin) in the host's configuration"
        case .identifierNotPermitted(let task): "add \(task) to the manifest's permitted-identifiers"
        case .modeMissing(let mode): "add \(mode.rawValue) to the manifest's background-modes"
        case .entitlementMissing(let entitlement): "add \(entitlement.rawValue) to the manifest's entitlements"
        case .backgroundDenied(let plugin): "set plugins.\(plugin).background to true in the host's configuration"
        case .backgroundRefreshOff(let plugin):
            "set \(plugin.map { "plugins.\($0)." } ?? "")background-refresh to true in the host's configuration"
        case .earliestBegin: "submit it again with an earlier begin, or wait for it"
        case .retryDelay: "submit it again, or wait for the delay to end"
        case .spacing: "wait for the spacing to pass"
        case .dayBudget(_, let limit):
            "wait for the day to pass, or raise the plugin's day-budget of \(limit.humanReadable)"
        case .spread: "wait for the spread to pass, or simulate its launch"
        case .externalPower: "provide external power, or submit it again without needing it"
        case .network: "provide a network, or submit it again without needing it"
        case .containerLocked(let plugin): "mount or unlock the container of \(plugin)"
        case .resourcesMissing: "provide the resource, or submit it again without needing it"
        case .useUnknown: "wait a moment: it is being looked at"
        case .notIdle: "leave the machine alone, or simulate its launch"
        case .highLoad: "wait for the load to fall, or simulate its launch"
        case .memoryPressure: "free memory"
        case .heat: "let the machine cool down"
        case .laneBusy(_, let launch): "wait for launch \(launch) to end"
        case .othersRunAlone(let first): "wait for \(first), or cancel it"
        case .launchLimit(let lane, _): "wait for a launch to end, or raise the host's limit of \(lane.name) launches"
        case .beingRecorded: "wait for the ledger"
        case .runnerUnavailable: "remove what keeps the runner from starting"
        case .hostStopping: "start the host again"
        }
    }

    /// When the reason goes away by itself, on the wall clock; nil when only a change elsewhere ends it.
    package func end(at now: Moment) -> WallTime? {
        switch self {
        case .earliestBegin(let time), .retryDelay(let time, _), .dayBudget(let time, _): time
        case .spacing(let time), .runnerUnavailable(let time, _), .spread(let time, _):
            now.wall + (time - now.monotonic)
        default: nil
        }
    }
}
