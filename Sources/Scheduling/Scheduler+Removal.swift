// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Plugins that no manifest describes any more: what they have pending waits for their return, but not for ever (C17).
extension Scheduler {
    mutating func miss(_ plugin: PluginIdentifier, at now: Moment) {
        guard let state = plugins[plugin], state.entry == nil, !state.isBeingRemembered,
            var known = state.known ?? state.lastEntry.map({ KnownPlugin($0) })
        else { return }
        if let since = known.missingSince {
            if state.hasRemovalAlarm { return }
            agenda.add(.removedPlugin(plugin), at: since + configuration.removedPluginRetention)
            plugins[plugin]?.hasRemovalAlarm = true
            return
        }
        known.missingSince = now.wall
        plugins[plugin]?.isBeingRemembered = true
        stage(.leave(of: plugin, as: known), [.rememberPlugin(known), .journal(loss(of: state, at: now))])
    }

    /// A manifest that could not be used has gone altogether.
    mutating func noteRemovalAfterRefusal(of plugin: PluginIdentifier, at now: Moment) {
        guard let state = plugins[plugin], state.known?.missingSince != nil else { return }
        note(loss(of: state, at: now))
    }

    private func loss(of state: PluginState, at now: Moment) -> JournalEntry {
        let loss = state.refusal.map { "its manifest is refused: \($0)" } ?? "no manifest describes it any more"
        let retention = configuration.removedPluginRetention.humanReadable
        return JournalEntry(
            at: now.wall,
            event: state.refusal == nil ? .pluginRemoved : .pluginRefused,
            plugin: state.identifier,
            blame: .nobody,
            message: "\(loss); what it has pending is kept for \(retention), put it back in order to run it"
        )
    }

    /// A person's wish not to wait for that: what it had pending is journaled and dropped now. Nothing may run that could
    /// still use the container, which goes with it.
    mutating func purge(_ plugin: PluginIdentifier, reply: ReplyToken, at now: Moment) {
        if let obstacle = obstacle(toPurging: plugin) { return emit(.answer(reply, .notPurged(message: obstacle))) }
        guard let state = plugins[plugin] else {
            // Its container may be there still: nobody asked for its end when the rest was dropped.
            emit(.discardContainer(plugin))
            return emit(.answer(reply, .purged(nil)))
        }
        drop(state, because: .purged(reply), at: now)
    }

    private func obstacle(toPurging plugin: PluginIdentifier) -> String? {
        if isStopping { return "the host is stopping; purge \(plugin) when it is back" }
        if let launch = launches.values.first(where: { mainPlugin(of: $0.plugin) == plugin || $0.plugin == plugin }) {
            return "launch \(launch.number) still runs in the container of \(plugin); wait for its end"
        }
        guard let state = plugins[plugin] else { return nil }
        if state.entry != nil || state.refusal != nil {
            return "\(plugin) is installed; remove it first: bgtask plugin remove \(plugin)"
        }
        if !state.recording.isEmpty || state.isBeingRemembered || state.arrivingEvents > 0 {
            return "something about \(plugin) is being written to the ledger; purge it again"
        }
        return nil
    }

    /// Its time is over, unless it was missed anew: what it had pending is journaled and dropped. But not on the first
    /// word of a wall clock, which may be wrong: on the same word once more, a while later.
    mutating func dropRemoved(_ plugin: PluginIdentifier, at now: Moment) {
        plugins[plugin]?.hasRemovalAlarm = false
        guard let state = plugins[plugin], state.entry == nil, state.occupants.isEmpty, state.recording.isEmpty,
            state.reserved.isEmpty, !launches.values.contains(where: { $0.plugin == plugin }),
            state.arrivingEvents == 0, !state.isBeingRemembered, let since = state.known?.missingSince
        else { return }
        if since + configuration.removedPluginRetention > now.wall {
            plugins[plugin]?.endRemovalDoubt()
            return miss(plugin, at: now)
        }
        let doubt = state.removalDoubt ?? now.monotonic + configuration.clockDoubt
        if doubt > now.monotonic {
            plugins[plugin]?.removalDoubt = doubt
            // It waits for the other clock from here on.
            plugins[plugin]?.hasRemovalAlarm = true
            if state.removalDoubt == nil { agenda.add(.removedPlugin(plugin), at: doubt) }
            return
        }
        drop(state, because: .kept(configuration.removedPluginRetention), at: now)
    }

    private mutating func drop(_ state: PluginState, because cause: Clearance.Cause, at now: Moment) {
        let plugin = state.identifier
        let requests = state.pending.values.sorted { $0.number < $1.number }
        let clearance = Clearance(
            plugin: plugin,
            cause: cause,
            requests: requests,
            events: state.events,
            fetches: fetches[plugin] != nil
        )
        for request in requests {
            plugins[plugin]?.expected.remove(request.request.identifier)
            plugins[plugin]?.recording[request.request.identifier, default: 0] += 1
        }
        plugins[plugin]?.isBeingRemembered = true
        plugins[plugin]?.isBeingCleared = true
        let waits = clearance.works.flatMap { endWait(of: $0, at: now) }
        stage(.clearance(clearance), clearance.changes(at: now) + waits)
    }

    /// It may have come back meanwhile: then it begins without what was dropped.
    mutating func clear(_ clearance: Clearance, at now: Moment) {
        let plugin = clearance.plugin
        plugins[plugin]?.isBeingCleared = false
        for request in clearance.requests {
            forgetRecording(request.request.identifier, of: plugin)
            leave(request.request.identifier, request.number, of: plugin)
        }
        for event in clearance.events { plugins[plugin]?.remove(event: event.number) }
        if clearance.fetches { fetches[plugin] = nil }
        if let state = plugins[plugin], state.entry == nil, state.hasNothingPending, state.recording.isEmpty {
            forget(state, at: now)
        } else {
            plugins[plugin]?.endRemovalDoubt()
            remembered(plugin, as: nil, at: now)
            for lane in Lane.allCases { consider(plugin, lane, at: now) }
        }
        guard case .purged(let reply) = clearance.cause else { return }
        // One that is back may have launched already.
        if plugins[plugin]?.entry == nil { emit(.discardContainer(plugin)) }
        emit(.answer(reply, .purged(clearance.works.count)))
    }

    mutating func notCleared(_ clearance: Clearance, because message: String, at now: Moment) {
        plugins[clearance.plugin]?.isBeingCleared = false
        for request in clearance.requests { forgetRecording(request.request.identifier, of: clearance.plugin) }
        expectAnew(clearance.plugin)
        notRemembered(clearance.plugin, at: now)
        for lane in Lane.allCases { consider(clearance.plugin, lane, at: now) }
        if case .purged(let reply) = clearance.cause { emit(.answer(reply, .notRecorded(message: message))) }
    }
}

/// What is dropped of a plugin that was removed long ago, or that a person wants gone.
struct Clearance: Hashable, Sendable {
    enum Cause: Hashable, Sendable {
        case kept(Duration)
        case purged(ReplyToken)
    }

    let plugin: PluginIdentifier
    let cause: Cause
    let requests: [PendingRequest]
    let events: [PendingEvent]
    /// It had asked for legacy fetch.
    let fetches: Bool

    var works: [PendingWork] { requests.map(PendingWork.request) + events.map(PendingWork.event) }

    func changes(at now: Moment) -> [LedgerChange] {
        var changes: [LedgerChange] = [.forgetPlugin(plugin)]
        if fetches { changes.append(.setFetch(plugin, nil)) }
        changes += requests.map { .removeRequest($0.number) } + events.map { .removeEvent($0.number) }
        for work in works {
            changes.append(
                .journal(
                    JournalEntry(
                        at: now.wall,
                        event: .task(.abandoned),
                        plugin: plugin,
                        label: work.label,
                        submission: work.number,
                        blame: blame,
                        message: message
                    )
                )
            )
        }
        return changes
    }

    private var blame: Blame {
        if case .purged = cause { .person } else { .nobody }
    }

    private var message: String {
        switch cause {
        case .kept(let retention): "its plugin was removed \(retention.humanReadable) ago"
        case .purged: "its plugin was removed and purged"
        }
    }
}
