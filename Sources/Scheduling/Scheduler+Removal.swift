// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Plugins that no manifest describes any longer. Their pending work waits for their return for a limited time (C17).
extension Scheduler {
    mutating func miss(_ plugin: PluginIdentifier, at now: Moment) {
        guard plugins[plugin].entry == nil, plugins[plugin].recordState == .settled,
            var known = plugins[plugin].known ?? plugins[plugin].lastEntry.map({ KnownPlugin($0) })
        else { return }
        if let since = known.missingSince {
            if plugins[plugin].hasRemovalAlarm { return }
            agenda.add(.removedPlugin(plugin), at: since + configuration.removedPluginRetention)
            plugins[plugin].hasRemovalAlarm = true
            return
        }
        known.missingSince = now.wall
        plugins[plugin].recordState = .changing
        stage(.leave(of: plugin, as: known), [.rememberPlugin(known), .journal(loss(of: plugin, at: now))])
    }

    /// Journals the removal of a plugin whose manifest was refused before, if the refusal is recorded.
    mutating func noteRemovalAfterRefusal(of plugin: PluginIdentifier, at now: Moment) {
        if plugins[plugin].known?.missingSince != nil { note(loss(of: plugin, at: now)) }
    }

    private func loss(of plugin: PluginIdentifier, at now: Moment) -> JournalEntry {
        let refusal = plugins[plugin].refusal
        let loss =
            refusal.map { "the plugin is refused: \($0)" }
            ?? "no manifest describes the plugin any more"
        // After an earlier refusal, part of the retention has passed.
        let since = plugins[plugin].known?.missingSince ?? now.wall
        let retention = max(.zero, configuration.removedPluginRetention - max(.zero, now.wall - since)).humanReadable
        let remedy = refusal == nil ? "reinstall the plugin to run them" : "correct the problem to run them"
        return JournalEntry(
            at: now.wall,
            event: refusal == nil ? .pluginRemoved : refusals[plugin]?.event ?? .pluginRefused,
            plugin: plugin,
            blame: .nobody,
            message: "\(loss); the pending requests of the plugin are kept for \(retention); \(remedy)"
        )
    }

    /// Purges a removed plugin on a user's call: journals and drops its pending work without a retention, and discards
    /// its container unless the plugin has returned. The call is refused when the plugin is not removed, a launch may
    /// still use the container, a change of the plugin is in flight, or the host is stopping.
    mutating func purge(_ plugin: PluginIdentifier, reply: ReplyToken, at now: Moment) {
        if let obstacle = obstacle(toPurging: plugin) { return emit(.answer(reply, .notPurged(message: obstacle))) }
        // The pause and the device token of a plugin without a record are dropped like pending work.
        if pauses[plugin] != nil || pushTokenHolders.contains(plugin) { know(plugin) }
        guard plugins.contains(plugin) else {
            // Its container may still exist: it stays when the pending work is dropped.
            emit(.discardContainer(plugin))
            return emit(.answer(reply, .purged(nil)))
        }
        drop(plugin, because: .purged(reply), at: now)
    }

    private func obstacle(toPurging plugin: PluginIdentifier) -> String? {
        if isStopping { return "the host is stopping; purge \(plugin) after its restart" }
        let users = [plugin] + (extensions[plugin]?.sorted() ?? [])
        let using = users.filter { $0 == plugin || mainPlugin(of: $0) == plugin }
        if let launch = using.lazy.flatMap({ launches.numbers(of: $0) }).first {
            return "launch \(launch) still runs in the container of \(plugin); wait for its end"
        }
        guard plugins.contains(plugin) else { return nil }
        let presence: String? =
            plugins[plugin].entry != nil
            ? "is installed" : plugins[plugin].refusal != nil ? "is refused, but its manifest is installed" : nil
        if let presence { return "\(plugin) \(presence); remove it first: bgtask plugin remove \(plugin)" }
        if plugins[plugin].isInFlight {
            return "a change of \(plugin) is being written to the ledger; purge \(plugin) again"
        }
        return nil
    }

    /// Drops the pending work of a removed plugin when the plugin's retention has passed, with journal entries. The
    /// wall clock may be wrong, so the work is dropped only if the retention is still over after `clockDoubt`.
    mutating func dropRemoved(_ plugin: PluginIdentifier, at now: Moment) {
        guard plugins.contains(plugin) else { return }
        plugins[plugin].hasRemovalAlarm = false
        guard plugins[plugin].entry == nil, plugins[plugin].occupants.isEmpty, plugins[plugin].reserved.isEmpty,
            !launches.hasLaunches(of: plugin), !plugins[plugin].isInFlight,
            let since = plugins[plugin].known?.missingSince
        else { return }
        if since + configuration.removedPluginRetention > now.wall {
            plugins[plugin].endRemovalDoubt()
            return miss(plugin, at: now)
        }
        let earlier = plugins[plugin].removalDoubt
        let doubt = earlier ?? now.monotonic + configuration.clockDoubt
        if doubt > now.monotonic {
            plugins[plugin].removalDoubt = doubt
            // From here on the alarm is on the monotonic clock.
            plugins[plugin].hasRemovalAlarm = true
            if earlier == nil { agenda.add(.removedPlugin(plugin), at: doubt) }
            return
        }
        drop(plugin, because: .kept(configuration.removedPluginRetention), at: now)
    }

    private mutating func drop(_ plugin: PluginIdentifier, because cause: Clearance.Cause, at now: Moment) {
        let clearance = Clearance(
            plugin: plugin,
            cause: cause,
            requests: plugins[plugin].requests.requests(),
            events: Array(plugins[plugin].events.all),
            fetches: fetches[plugin] != nil
        )
        let change = inFlight.nextChange()
        for request in clearance.requests {
            plugins[plugin].requests.begin(.removes(request.number), about: request.request.identifier, as: change)
        }
        plugins[plugin].recordState = .clearing
        stage(.clearance(clearance, change), clearance.changes(at: now))
    }

    /// Applies a clearance that is on disk: removes the dropped work from memory. A plugin that was reinstalled in the
    /// meantime begins without this work.
    mutating func clear(_ clearance: Clearance, _ change: ChangeNumber, at now: Moment) {
        let plugin = clearance.plugin
        for request in clearance.requests {
            remove(request.request.identifier, request.number, of: plugin)
            plugins[plugin].requests.end(change, about: request.request.identifier)
            forgetTransfer(request.number, of: plugin)
        }
        if clearance.requests.contains(where: { $0.request.kind == .transfer }) { emit(.sweepTransfers(plugin)) }
        for event in clearance.events { remove(event: event.number, of: plugin) }
        if clearance.fetches { fetches[plugin] = nil }
        dropPause(of: plugin)
        dropPushToken(of: plugin)
        pushAnswers[plugin] = nil
        uses[plugin] = nil
        lastUses[plugin] = nil
        untakenFiles[plugin] = nil
        plugins[plugin].recordState = .settled
        // The ledger has dropped its waits in the same commit.
        plugins[plugin].waits = [:]
        resumeOperations(of: plugin, at: now)
        if plugins[plugin].entry == nil, plugins[plugin].requests.isEmpty, plugins[plugin].events.expectedCount == 0,
            !plugins[plugin].isInFlight
        {
            forget(plugin, at: now)
        } else {
            plugins[plugin].endRemovalDoubt()
            remembered(plugin, as: nil, at: now)
            for lane in Lane.allCases { consider(plugin, lane, at: now) }
        }
        guard case .purged(let reply) = clearance.cause else { return }
        // The container is kept if the plugin has returned, because it may have launched already.
        if !plugins.contains(plugin) || plugins[plugin].entry == nil { emit(.discardContainer(plugin)) }
        emit(.answer(reply, .purged(clearance.requests.count + clearance.events.count)))
    }

    mutating func notCleared(
        _ clearance: Clearance,
        _ change: ChangeNumber,
        because message: String,
        at now: Moment
    ) {
        let plugin = clearance.plugin
        for request in clearance.requests {
            plugins[plugin].requests.end(change, about: request.request.identifier)
        }
        notRemembered(plugin, at: now)
        resumeOperations(of: plugin, at: now)
        for lane in Lane.allCases { consider(plugin, lane, at: now) }
        if case .purged(let reply) = clearance.cause { emit(.answer(reply, .notRecorded(message: message))) }
    }
}
