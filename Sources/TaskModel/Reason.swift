// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A cause that blocks a request or an event now. The order of the cases is the order in which `why` proposes the
/// remedies (C13).
package enum Reason: Hashable, Sendable {
    // Ended by a change of manifest or configuration, or by the operator.
    case pluginMissing(PluginIdentifier)
    case pluginRefused(PluginIdentifier, problem: String)
    case pluginDisabled(PluginIdentifier)
    /// The operator paused the plugin. A pause may have an end.
    case pluginPaused(PluginIdentifier, PluginPause)
    case identifierNotPermitted(TaskIdentifier)
    case modeMissing(BackgroundMode)
    case entitlementMissing(Entitlement)
    /// The kind or event exists since a minor version of the ABI that is newer than the header of the plugin's library.
    case pluginTooOld(since: Int, header: Int)
    /// The operator denies the plugin all background work.
    case backgroundDenied(PluginIdentifier)
    /// The operator disabled background refresh: for the plugin or, when the value is nil, for the whole host.
    case backgroundRefreshOff(PluginIdentifier?)
    /// The transfer library of this host is missing or unusable.
    case transferLibraryMissing(problem: String)
    /// The manifest requests no network any more, which transfers need.
    case networkNotGranted(PluginIdentifier)
    /// The operator paused the transfer.
    case transferPaused(TaskIdentifier)

    // Ended by time.
    /// The deadline of the request has passed: the request does not start, and lapses at `until` unless the wall clock
    /// is set back before.
    case deadlinePassed(until: MonotonicTime)
    /// The host started, and the feeder has not renewed the lease of this name since. At the end the claim is lost.
    case leaseUnconfirmed(String, until: MonotonicTime)
    case earliestBegin(WallTime)
    /// `attempts` is the number of charged attempts; `failed` is nil unless the host retries the task after a failure.
    case retryDelay(until: WallTime, attempts: Int, failed: FailedAttempt? = nil)
    /// The plugin begins new transfers at each end of a session, so the event about the next end waits.
    case relaunchSpacing(until: WallTime)
    case spacing(until: MonotonicTime)
    /// The spacing of the plugin's own requests of a kind, or of its pushes.
    case kindSpacing(until: WallTime, TaskKind, Duration)
    case dayBudget(until: WallTime, limit: Duration)
    case stagger(until: MonotonicTime, after: StaggerCause)
    /// The longer spacing of the plugin's own refresh requests while no use of the plugin is expected. `unused` is the
    /// number of weeks without a use; nil for a plugin in use.
    case useSpacing(until: WallTime, Duration, unused: Int?)

    // Ended by a change of the machine.
    case externalPower
    case network
    /// The network is metered, and the transfer is discretionary.
    case metered
    case containerLocked(PluginIdentifier)
    case resourcesMissing
    /// A condition that delays work and is sampled on demand has no sample yet. The first sample follows within
    /// moments.
    case useUnknown
    case notIdle
    case highLoad
    case batteryLow
    case powerSaver
    case memoryPressure
    case heat

    // Ended by a change of other work.
    /// The host has not finished a download that the function of the task takes as an argument.
    case downloadUnfinished(PluginIdentifier)
    case laneBusy(Lane, LaunchNumber, isStopping: Bool = false)
    case othersRunAlone(first: String)
    case launchLimit(Lane, limit: Int, stopping: Int = 0)
    /// The disk of the containers lacks its reserve. The plugin is the main plugin of the launch that was last
    /// ended for this shortage; nil when none was.
    case diskReserve(DiskShortage, usedUpBy: PluginIdentifier? = nil)

    // Ended by the host itself.
    case beingRecorded
    case runnerUnavailable(until: MonotonicTime, message: String)
    case hostStopping

}

// The facts and texts of each reason; traits and code are in the row of its kind.
extension Reason {
    /// The time at which a reason ends, on the clock that the reason uses.
    package enum End: Hashable, Sendable {
        case wall(WallTime)
        case monotonic(MonotonicTime)
    }

    /// Kind and end of the reason. They are computed without the texts, because every evaluation reads them.
    private var facts: (kind: ReasonKind, end: End?) {
        switch self {
        case .pluginMissing: (.pluginMissing, nil)
        case .pluginRefused: (.pluginRefused, nil)
        case .pluginDisabled: (.pluginDisabled, nil)
        case .pluginPaused(_, let pause): (.pluginPaused, pause.until.map(End.wall))
        case .identifierNotPermitted: (.identifierNotPermitted, nil)
        case .modeMissing: (.modeMissing, nil)
        case .entitlementMissing: (.entitlementMissing, nil)
        case .pluginTooOld: (.pluginTooOld, nil)
        case .backgroundDenied: (.backgroundDenied, nil)
        case .backgroundRefreshOff: (.backgroundRefreshOff, nil)
        case .transferLibraryMissing: (.transferLibraryMissing, nil)
        case .networkNotGranted: (.networkNotGranted, nil)
        case .transferPaused: (.transferPaused, nil)
        case .downloadUnfinished: (.downloadUnfinished, nil)
        case .deadlinePassed(let time): (.deadlinePassed, .monotonic(time))
        case .leaseUnconfirmed(_, let time): (.leaseUnconfirmed, .monotonic(time))
        case .earliestBegin(let time): (.earliestBegin, .wall(time))
        case .retryDelay(let time, _, _): (.retryDelay, .wall(time))
        case .relaunchSpacing(let time): (.relaunchSpacing, .wall(time))
        case .spacing(let time): (.spacing, .monotonic(time))
        case .kindSpacing(let time, _, _): (.kindSpacing, .wall(time))
        case .dayBudget(let time, _): (.dayBudget, .wall(time))
        case .stagger(let time, _): (.stagger, .monotonic(time))
        case .useSpacing(let time, _, _): (.useSpacing, .wall(time))
        case .externalPower: (.externalPower, nil)
        case .network: (.network, nil)
        case .metered: (.metered, nil)
        case .containerLocked: (.containerLocked, nil)
        case .resourcesMissing: (.resourcesMissing, nil)
        case .useUnknown: (.useUnknown, nil)
        case .notIdle: (.notIdle, nil)
        case .highLoad: (.highLoad, nil)
        case .batteryLow: (.batteryLow, nil)
        case .powerSaver: (.powerSaver, nil)
        case .memoryPressure: (.memoryPressure, nil)
        case .heat: (.heat, nil)
        case .laneBusy: (.laneBusy, nil)
        case .othersRunAlone: (.othersRunAlone, nil)
        case .launchLimit: (.launchLimit, nil)
        case .diskReserve: (.diskReserve, nil)
        case .beingRecorded: (.beingRecorded, nil)
        case .runnerUnavailable(let time, _): (.runnerUnavailable, .monotonic(time))
        case .hostStopping: (.hostStopping, nil)
        }
    }

    // The texts contain no times: only the reader of `end` has the time zone to show them in.
    private var texts: (message: String, remedy: String) {
        switch self {
        case .pluginMissing(let plugin): ("plugin \(plugin) is not installed", "install \(plugin)")
        case .pluginRefused(let plugin, let problem):
            (
                "plugin \(plugin) is refused: \(problem)",
                "correct the problems of \(plugin); list all of them with: bgtask plugin list"
            )
        case .pluginDisabled(let plugin):
            (
                "plugin \(plugin) is disabled by the operator",
                "set plugins.\(plugin).enabled to true in the host's configuration and run bgtask host reload"
            )
        case .pluginPaused(let plugin, let pause):
            (
                "plugin \(plugin) is paused" + (pause.user.map { " by uid \($0.uid)" } ?? ""),
                "resume the plugin: bgtask plugin resume \(plugin)"
            )
        case .identifierNotPermitted(let task):
            (
                "the manifest of the plugin does not permit \(task) for this kind of request",
                "add \(task) to the manifest's permitted-identifiers"
            )
        case .modeMissing(let mode):
            (
                "the manifest of the plugin does not have the background mode \(mode.rawValue)",
                "add \(mode.rawValue) to the manifest's background-modes"
            )
        case .entitlementMissing(let entitlement):
            (
                "the manifest of the plugin does not request the grant \(entitlement.rawValue)",
                "add \(entitlement.rawValue): true to the manifest's grants"
            )
        case .pluginTooOld(let since, let header):
            (
                "the plugin is built with a bgtask.h of minor version \(header), and work of this kind exists since"
                    + " minor version \(since)",
                "install a build with a bgtask.h of minor version \(since) or newer"
            )
        case .backgroundDenied(let plugin):
            (
                "the operator denies \(plugin) background work",
                "set plugins.\(plugin).background to true in the host's configuration and run bgtask host reload"
            )
        case .backgroundRefreshOff(let plugin):
            (
                "the operator disabled background refresh" + (plugin.map { " for \($0)" } ?? ""),
                "set \(plugin.map { "plugins.\($0)." } ?? "")background-refresh to true in the host's configuration"
                    + " and run bgtask host reload"
            )
        case .transferLibraryMissing(let problem):
            (
                "the transfer library of this host is not usable: \(problem)",
                "install the package of bgtask whole, and restart the host"
            )
        case .networkNotGranted(let plugin):
            (
                "the manifest of \(plugin) requests no network any more, which its transfers need",
                "install a version of \(plugin) that requests network: true below grants, or cancel the transfer"
            )
        case .transferPaused(let identifier):
            (
                "a user paused the transfer",
                "resume the transfer: bgtask transfer resume \(identifier)"
            )
        case .downloadUnfinished(let plugin):
            (
                "a download that the function takes as an argument has not ended",
                "wait for its end: bgtask transfer list --plugin \(plugin) shows it; after bgtask transfer cancel the"
                    + " function gets NULL"
            )
        case .deadlinePassed:
            (
                "the deadline of the request has passed by the clock of the machine, so the request does not start",
                "submit the task again with a later expires_at, or without one; set the clock if it is wrong"
            )
        case .leaseUnconfirmed(let lease, _):
            (
                "the feeder has not renewed the lease \(lease) since the host started, so another host may have the"
                    + " item",
                "start the feeder, or see with \"bgtask fleet status\" whether it reaches the database"
            )
        case .earliestBegin:
            (
                "the earliest begin of the request is in the future",
                "wait, submit the task again with an earlier begin, or run it now with bgtask run"
            )
        case .retryDelay(_, let attempts, let failed):
            (
                (failed.map { "\($0) failed, and the task waits for its retry delay" }
                    ?? "the task was interrupted and waits for its retry delay")
                    + (attempts == 0 ? "" : "; attempts charged: \(attempts)"),
                "wait for the end of the delay, or submit the task again unless it is an event; the journal has the"
                    + " cause"
            )
        case .relaunchSpacing:
            (
                "the plugin began new transfers at the last ends of its sessions, so it is launched less often for them",
                "wait for the end of the spacing, or use the plugin: bgtask run"
            )
        case .spacing:
            (
                "the spacing since the plugin's last background launch is not over",
                "wait for the end of the spacing, or run the task now with bgtask run"
            )
        case .kindSpacing(_, let kind, let spacing):
            (
                "the last \(kind.name) launch"
                    + (kind == .push ? " of the plugin" : " for the plugin's own requests")
                    + " ended less than \(spacing.humanReadable) ago",
                "wait, run the task now with bgtask run, or lower policies.spacing.\(kind.name) in the host's"
                    + " configuration and run bgtask host reload"
            )
        case .dayBudget(_, let limit):
            (
                "the plugin's background launches have used its day budget of \(limit.humanReadable) in the last 24h",
                "wait, run the task now with bgtask run, or raise the plugin's day-budget in the host's configuration"
                    + " and run bgtask host reload"
            )
        case .stagger(_, let cause):
            (
                "\(cause.words) recently, and launches are staggered",
                "wait, or run the task now with bgtask run"
            )
        case .useSpacing(_, let spacing, let unused):
            (
                (unused.map { "no user has used the plugin for \($0) weeks" } ?? "no use of the plugin is expected yet")
                    + ", and the last refresh launch for its own requests ended less than \(spacing.humanReadable) ago",
                "wait, run the task now with bgtask run, or set policies.learn-use to false in the host's configuration"
                    + " and run bgtask host reload"
            )
        case .externalPower:
            (
                "the task needs external power, and the host sees none",
                "provide external power, submit the task without this requirement, or run it now with bgtask run"
            )
        case .network:
            (
                "the task needs a network, and the host sees none",
                "provide a network, or submit the task again without this requirement"
            )
        case .metered:
            (
                "the network is metered, and the transfer is discretionary",
                "connect a network that is not metered, or set connection.metered of the connection to no in"
                    + " NetworkManager"
            )
        case .containerLocked(let plugin):
            (
                "the container of \(plugin) is not known to be mounted and unlocked",
                "mount or unlock the container of \(plugin); bgtask host status shows the cause"
            )
        case .resourcesMissing:
            (
                "the task needs a GPU, and the host sees none",
                "provide a GPU, or submit the task again without this requirement"
            )
        case .useUnknown:
            (
                "the load, heat, power and network of the machine are not sampled yet",
                "wait for the first sample"
            )
        case .notIdle:
            (
                "the machine is not known to be idle",
                "wait until the machine is idle, or run the task now with bgtask run"
            )
        case .highLoad: ("the processors are busy", "wait for the load to fall, or run the task now with bgtask run")
        case .batteryLow:
            (
                "the battery is low and the machine is not on external power",
                "connect external power, or run the task now with bgtask run"
            )
        case .powerSaver:
            (
                "the machine is in power-saver mode",
                "choose another power profile, or run the task now with bgtask run"
            )
        case .memoryPressure: ("memory is short", "free memory")
        case .heat: ("the machine is hot", "let the machine cool down")
        case .laneBusy(let lane, let launch, let isStopping):
            (
                lane == .continued
                    ? "the task waits for launch \(launch), which is being prepared for it or is still in entry"
                    : "the plugin's \(lane.name) lane is busy with launch \(launch)"
                        + (isStopping ? ", whose tasks have ended and whose process has not" : ""),
                "wait until launch \(launch) takes the task or ends"
            )
        case .othersRunAlone(let first):
            (
                "other work of the plugin has to run first: \(first)",
                "wait for the end of \(first), or cancel \(first) unless it is an event"
            )
        case .launchLimit(let lane, let limit, let stopping):
            (
                "the host already runs as many \(lane.name) launches as its limit permits (\(limit))"
                    + (stopping > 0
                        ? "; \(stopping == 1 ? "1 launch is" : "\(stopping) launches are") stopping, and launches in"
                            + " excess of \(limit) count as running" : ""),
                "wait for a launch to end, or raise launches.\(lane.name) in the host's configuration and run"
                    + " bgtask host reload"
            )
        case .diskReserve(let shortage, let plugin):
            (
                shortage.words + (plugin.map { "; a launch of \($0) used up the reserve and was ended" } ?? ""),
                "delete files on this disk\(plugin.map { ", such as those of \($0)" } ?? ""), or lower disk-reserve in the"
                    + " host's configuration and restart the host"
            )
        case .beingRecorded: ("a change of the task is being written to the ledger", "wait for the ledger")
        case .runnerUnavailable(_, let message):
            (
                "the host could not run a task of the plugin: \(message)",
                "correct this cause, then wait for the end of the delay"
            )
        case .hostStopping: ("the host is stopping", "start the host again")
        }
    }

    package var kind: ReasonKind { facts.kind }
    /// The time at which the reason ends without any other change; nil when only another change ends it.
    package var end: End? { facts.end }

    package var code: String { kind.row.code }
    package var isAdvisory: Bool { kind.row.traits.contains(.advisory) }
    package var isMomentary: Bool { kind.row.traits.contains(.momentary) }
    package var concernsWholePlugin: Bool { kind.row.traits.contains(.wholePlugin) }
    package var isOwnTime: Bool { kind.row.traits.contains(.ownTime) }

    /// A description of the blocking cause, for users.
    package var message: String { texts.message }
    /// The change that ends the reason, described for users.
    package var remedy: String { texts.remedy }

    /// The time at which the reason ends, converted to the wall clock; nil when only another change ends it.
    package func end(at now: Moment) -> WallTime? {
        switch end {
        case .wall(let time): time
        case .monotonic(let time): now.wall + (time - now.monotonic)
        case nil: nil
        }
    }
}

/// The cause of a start-up wave, in which many requests become eligible at once, so that their launches are staggered.
package enum StaggerCause: String, Hashable, Sendable, CaseIterable {
    case boot
    case resume
    case network

    package var words: String {
        switch self {
        case .boot: "the machine started"
        case .resume: "the machine resumed"
        case .network: "the network was regained"
        }
    }
}
