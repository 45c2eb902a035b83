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
        let loss = state.refusal.map { "its manifest is refused: \($0)" } ?? "no manifest describes it any more"
        let entry = JournalEntry(
            at: now.wall,
            event: state.refusal == nil ? .pluginRemoved : .pluginRefused,
            plugin: plugin,
            blame: .nobody,
            message: "\(loss); what it has pending is kept for \(configuration.removedPluginRetention.inDays) days"
        )
        plugins[plugin]?.isBeingRemembered = true
        stage(.leave(of: plugin, as: known), [.rememberPlugin(known), .journal(entry)])
    }

    /// Its time is over, unless it was missed anew: what it had pending is journaled and dropped.
    mutating func dropRemoved(_ plugin: PluginIdentifier, at now: Moment) {
        plugins[plugin]?.hasRemovalAlarm = false
        guard let state = plugins[plugin], state.entry == nil, state.occupants.isEmpty, state.recording.isEmpty,
            state.arrivingEvents == 0, !state.isBeingRemembered, let since = state.known?.missingSince
        else { return }
        if since + configuration.removedPluginRetention > now.wall { return miss(plugin, at: now) }
        let requests = state.pending.values.sorted { $0.number < $1.number }
        let clearance = Clearance(plugin: plugin, requests: requests, events: state.events)
        for request in requests {
            plugins[plugin]?.expected.remove(request.request.identifier)
            plugins[plugin]?.recording[request.request.identifier, default: 0] += 1
        }
        plugins[plugin]?.isBeingRemembered = true
        stage(.clearance(clearance), clearance.changes(at: now, after: configuration.removedPluginRetention))
    }

    /// It may have come back meanwhile: then it begins without what was dropped.
    mutating func clear(_ clearance: Clearance, at now: Moment) {
        let plugin = clearance.plugin
        for request in clearance.requests {
            forgetRecording(request.request.identifier, of: plugin)
            plugins[plugin]?.remove(request.request.identifier, number: request.number)
            plugins[plugin]?.expected.settle(request.request.identifier, through: request.number)
        }
        for event in clearance.events { plugins[plugin]?.remove(event: event.number) }
        if let state = plugins[plugin], state.entry == nil, state.hasNothingPending, state.recording.isEmpty {
            plugins[plugin] = nil
        } else {
            remembered(plugin, as: nil, at: now)
            consider(plugin, .background, at: now)
        }
    }

    mutating func notCleared(_ clearance: Clearance, at now: Moment) {
        for request in clearance.requests { forgetRecording(request.request.identifier, of: clearance.plugin) }
        expectAnew(clearance.plugin)
        notRemembered(clearance.plugin, at: now)
        consider(clearance.plugin, .background, at: now)
    }
}

/// What is dropped of a plugin that was removed long ago.
struct Clearance: Hashable, Sendable {
    let plugin: PluginIdentifier
    let requests: [PendingRequest]
    let events: [PendingEvent]

    func changes(at now: Moment, after retention: Duration) -> [LedgerChange] {
        var changes: [LedgerChange] = [.forgetPlugin(plugin)]
        changes += requests.map { .removeRequest($0.number) } + events.map { .removeEvent($0.number) }
        for work in requests.map(PendingWork.request) + events.map(PendingWork.event) {
            changes.append(
                .journal(
                    JournalEntry(
                        at: now.wall,
                        event: .task(.abandoned),
                        plugin: plugin,
                        label: work.label,
                        submission: work.number,
                        blame: .nobody,
                        message: "its plugin was removed \(retention.inDays) days ago"
                    )
                )
            )
        }
        return changes
    }
}

extension Duration {
    fileprivate var inDays: Int64 { components.seconds / 86_400 }
}
