// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Pauses of plugins by users. A pause blocks the work of its plugin from the commit of the pause to the commit of its
// end. Launches that run at that time continue.
extension Scheduler {
    /// The pause of a plugin; nil when the plugin is not paused.
    package func pause(of plugin: PluginIdentifier) -> PluginPause? { pauses.isEmpty ? nil : pauses[plugin] }

    /// The pauses that block the work of a plugin: its own, and that of its main plugin.
    package func pauseReasons(of plugin: PluginIdentifier) -> [Reason] {
        pauses.isEmpty ? [] : reasons(againstAllOf: plugin).filter { $0.kind == .pluginPaused }
    }

    /// Pauses a plugin on a user's call. A later pause replaces an earlier one. The plugin may be refused or removed:
    /// the pause then applies to its pending work when it returns.
    mutating func pause(_ plugin: PluginIdentifier, until end: WallTime?, reply: ReplyToken, at now: Moment) {
        guard plugins.contains(plugin) || refusals[plugin] != nil else {
            return emit(.answer(reply, .refused(.notInstalled(plugin))))
        }
        let pause = PluginPause(since: now.wall, until: end, user: callingUser)
        // Rounded up: a call that requests an hour arrives a moment later.
        let extent = end.map { "for \(($0 - now.wall).roundedUp.humanReadable)" } ?? "until a user resumes it"
        let message = "the plugin is paused \(extent): its pending work waits, and running launches continue"
        setPause(of: plugin, to: pause, .pluginPaused, message, reply: reply, at: now)
    }

    /// Ends the pause of a plugin on a user's call.
    mutating func resume(_ plugin: PluginIdentifier, reply: ReplyToken, at now: Moment) {
        guard pauses[plugin] != nil || inFlight.changesPause(of: plugin) else {
            let isKnown = plugins.contains(plugin) || refusals[plugin] != nil
            return emit(.answer(reply, isKnown ? .resumed(wasPaused: false) : .refused(.notInstalled(plugin))))
        }
        setPause(of: plugin, to: nil, .pluginResumed, "the plugin is no longer paused", reply: reply, at: now)
    }

    /// Ends the pause of a plugin whose time has passed. While another change of the pause is in flight, its result
    /// decides about the end.
    mutating func endPause(of plugin: PluginIdentifier, at now: Moment) {
        guard let end = pauses[plugin]?.until, !inFlight.changesPause(of: plugin) else { return }
        if end > now.wall { return agenda.add(.pause(plugin), at: end) }
        setPause(of: plugin, to: nil, .pluginResumed, "the time of the pause has passed", reply: nil, at: now)
    }

    private mutating func setPause(
        of plugin: PluginIdentifier,
        to pause: PluginPause?,
        _ event: JournalEntry.Event,
        _ message: String,
        reply: ReplyToken?,
        at now: Moment
    ) {
        let entry = JournalEntry(at: now.wall, event: event, plugin: plugin, blame: .nobody, message: message)
        stage(.pause(plugin, pause, reply: reply), [.setPause(plugin, pause), .journal(entry)])
    }

    /// Applies a change of a pause that is on disk.
    mutating func pauseRecorded(
        of plugin: PluginIdentifier,
        _ pause: PluginPause?,
        reply: ReplyToken?,
        at now: Moment
    ) {
        pauses[plugin] = pause
        if let end = pause?.until { agenda.add(.pause(plugin), at: end) }
        if pause != nil { expireTransfers(of: plugin, because: .stoppedByUser, at: now) }
        considerWork(underPausesOf: plugin)
        guard let reply else { return }
        emit(.answer(reply, pause.map { .paused($0) } ?? .resumed(wasPaused: true)))
    }

    /// Drops a pause from memory, because the ledger has dropped it together with the record of the plugin.
    mutating func dropPause(of plugin: PluginIdentifier) {
        if pauses.removeValue(forKey: plugin) != nil { considerWork(underPausesOf: plugin) }
    }

    /// Queues the evaluation of all work that a pause of the plugin concerns: its own, and that of its extensions.
    private mutating func considerWork(underPausesOf plugin: PluginIdentifier) {
        for concerned in [plugin] + (extensions[plugin]?.sorted() ?? []) where plugins.contains(concerned) {
            for lane in Lane.allCases { backlog.add(.consider(concerned, lane)) }
        }
    }

    /// Keeps the pause as it is, because the commit of its change failed. The end of a pause is checked again after a
    /// delay, because its alarm may have passed meanwhile.
    mutating func pauseNotRecorded(
        of plugin: PluginIdentifier,
        reply: ReplyToken?,
        because message: String,
        at now: Moment
    ) {
        if pauses[plugin]?.until != nil {
            agenda.add(.pause(plugin), at: now.monotonic + configuration.hostRetryDelay)
        }
        guard let reply else { return }
        emit(.answer(reply, .notRecorded(message: "the pause of \(plugin) is unchanged: \(message)")))
    }
}

extension Duration {
    /// The duration rounded up to whole seconds; zero for a negative one.
    fileprivate var roundedUp: Duration {
        if self <= .zero { return .zero }
        let (seconds, attoseconds) = components
        return .seconds(seconds + (attoseconds > 0 ? 1 : 0))
    }
}
