// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

extension Reason {
    /// Stable and short, for programs.
    package var code: String {
        switch self {
        case .pluginMissing: "plugin-missing"
        case .pluginDisabled: "plugin-disabled"
        case .identifierNotPermitted: "identifier-not-permitted"
        case .modeMissing: "mode-missing"
        case .earliestBegin: "earliest-begin"
        case .retryDelay: "retry-delay"
        case .spacing: "spacing"
        case .externalPower: "external-power"
        case .network: "network"
        case .laneBusy: "lane-busy"
        case .othersRunAlone: "others-run-alone"
        case .launchLimit: "launch-limit"
        case .beingRecorded: "being-recorded"
        case .runnerUnavailable: "runner-unavailable"
        case .hostStopping: "host-stopping"
        }
    }

    /// What stands in the way. The instant, where there is one, is told beside it.
    package var message: String {
        switch self {
        case .pluginMissing(let plugin): "no installed manifest describes plugin \(plugin)"
        case .pluginDisabled(let plugin): "plugin \(plugin) is disabled by the operator"
        case .identifierNotPermitted(let identifier): "the manifest no longer permits \(identifier)"
        case .modeMissing(let mode): "the manifest no longer lists the background mode \(mode.rawValue)"
        case .earliestBegin: "its earliest begin has not come"
        case .retryDelay(_, let attempts): "it waits after failed attempt \(attempts)"
        case .spacing: "its plugin has just run and rests"
        case .externalPower: "it needs external power and there is none"
        case .network: "it needs a network and there is none"
        case .laneBusy(let lane, let launch): "launch \(launch) of its plugin holds the \(lane.name) lane"
        case .othersRunAlone(let first): "after a crash \(first) is to run alone first"
        case .launchLimit(let lane, let limit): "\(limit) \(lane.name) launches run, as many as are allowed at once"
        case .beingRecorded: "a change to it is being recorded"
        case .runnerUnavailable(_, let message): "no runner could be had: \(message)"
        case .hostStopping: "the host is stopping"
        }
    }

    /// The change that would take this reason away.
    package var change: String {
        switch self {
        case .pluginMissing(let plugin): "install a manifest for \(plugin)"
        case .pluginDisabled(let plugin): "set plugins.\(plugin).enabled to true in the host's configuration"
        case .identifierNotPermitted(let identifier): "add \(identifier) to permitted-identifiers in the manifest"
        case .modeMissing(let mode): "add \(mode.rawValue) to background-modes in the manifest"
        case .earliestBegin: "wait for its earliest begin, or submit it again with an earlier one"
        case .retryDelay: "wait for the end of the delay, or submit it again"
        case .spacing: "wait until its plugin has rested"
        case .externalPower: "connect external power"
        case .network: "connect a network"
        case .laneBusy(_, let launch): "wait for the end of launch \(launch)"
        case .othersRunAlone(let first): "wait for the end of \(first)"
        case .launchLimit(let lane, _): "wait for the end of another \(lane.name) launch, or raise the limit"
        case .beingRecorded: "wait for the ledger"
        case .runnerUnavailable: "see the host's log, and mend what it names"
        case .hostStopping: "start the host again"
        }
    }

    /// When time alone takes this reason away; nil when something else has to happen.
    package func end(seenAt now: Moment) -> WallTime? {
        switch self {
        case .earliestBegin(let time): time
        case .retryDelay(let until, _): until
        case .spacing(let until), .runnerUnavailable(let until, _): now.wall + (until - now.monotonic)
        default: nil
        }
    }
}
