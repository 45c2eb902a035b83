// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Plugins that come, change and go. Their requests stay through all of it (C17).
extension Scheduler {
    mutating func catalogue(_ entries: [PluginEntry], at now: Moment) {
        let isFirst = !hasCatalogue
        hasCatalogue = true
        let returning = Set(launches.values.flatMap(\.record.returning).map(\.plugin))
        if isFirst { recordRecovery() }
        owners = IdentifierOwners(entries: entries)
        let present = Set(entries.map(\.identifier))
        for plugin in plugins.keys.sorted() where !present.contains(plugin) { miss(plugin, at: now) }
        for entry in entries.sorted(by: { $0.identifier < $1.identifier }) {
            if plugins[entry.identifier] == nil {
                plugins[entry.identifier] = PluginState(identifier: entry.identifier)
            }
            if plugins[entry.identifier]?.entry == entry, !isFirst { continue }
            plugins[entry.identifier]?.entry = entry
            if isFirst, !returning.contains(entry.identifier) {
                let hasNothingPending = plugins[entry.identifier]?.hasNothingPending ?? true
                plugins[entry.identifier]?.wantsStart = hasNothingPending
            }
            welcome(entry.identifier, at: now)
            for lane in Lane.allCases { consider(entry.identifier, lane, at: now) }
        }
    }

    /// Remembers a plugin that is new or has changed, and tells a main one that it started (C11).
    mutating func welcome(_ plugin: PluginIdentifier, at now: Moment) {
        guard let state = plugins[plugin], let entry = state.entry, !state.isBeingWelcomed else { return }
        let known = KnownPlugin(entry)
        let hasChanged = state.known != known
        guard hasChanged || state.wantsStart else { return }
        var changes: [LedgerChange] = []
        if hasChanged {
            changes.append(.rememberPlugin(known))
            changes.append(
                .journal(arrival(of: entry, isNew: state.known?.missingSince != nil || state.known == nil, at: now))
            )
        }
        let event = startedEvent(for: state, entry, at: now)
        if let event { changes.append(.storeEvent(event, payload: [])) }
        if changes.isEmpty { return }
        plugins[plugin]?.isBeingWelcomed = true
        plugins[plugin]?.wantsStart = false
        stage(.welcome(of: plugin, as: known, event), changes)
    }

    /// One that waits already will reach the new library as well.
    private mutating func startedEvent(
        for state: PluginState,
        _ entry: PluginEntry,
        at now: Moment
    ) -> PendingEvent? {
        guard entry.role == .main, configuration.policy(for: entry.identifier).isEnabled,
            state.events.count < configuration.eventLimit, !state.events.contains(where: { $0.type == .started })
        else { return nil }
        lastSubmission = SubmissionNumber(rawValue: lastSubmission.rawValue + 1)
        return PendingEvent(plugin: entry.identifier, number: lastSubmission, type: .started, createdAt: now.wall)
    }

    private func arrival(of entry: PluginEntry, isNew: Bool, at now: Moment) -> JournalEntry {
        JournalEntry(
            at: now.wall,
            event: isNew ? .pluginInstalled : .pluginChanged,
            plugin: entry.identifier,
            blame: .nobody,
            message: "\(entry.name) \(entry.version), described by \(entry.manifestPath), library \(entry.library.path)"
        )
    }

    mutating func welcomed(_ plugin: PluginIdentifier, as known: KnownPlugin, _ event: PendingEvent?, at now: Moment) {
        plugins[plugin]?.isBeingWelcomed = false
        plugins[plugin]?.known = known
        if let event { store(event, at: now) }
        welcome(plugin, at: now)
        consider(plugin, .event, at: now)
    }

    mutating func notWelcomed(_ plugin: PluginIdentifier, _ event: PendingEvent?, at now: Moment) {
        plugins[plugin]?.isBeingWelcomed = false
        plugins[plugin]?.wantsStart = event != nil
        agenda.add(.welcome(plugin), at: now.monotonic + configuration.hostRetryDelay)
    }

    /// No manifest describes it any more: its requests wait for its return, but not for ever.
    private mutating func miss(_ plugin: PluginIdentifier, at now: Moment) {
        guard let state = plugins[plugin] else { return }
        plugins[plugin]?.entry = nil
        guard var known = state.known else { return }
        if known.missingSince == nil {
            known.missingSince = now.wall
            plugins[plugin]?.known = known
            let entry = JournalEntry(
                at: now.wall,
                event: .pluginRemoved,
                plugin: plugin,
                blame: .nobody,
                message: "no manifest describes it any more; what it has pending is kept for"
                    + " \(configuration.removedPluginRetention.inDays) days"
            )
            stage(.leave, [.rememberPlugin(known), .journal(entry)])
        }
        if state.hasRemovalAlarm { return }
        agenda.add(.removedPlugin(plugin), at: (known.missingSince ?? now.wall) + configuration.removedPluginRetention)
        plugins[plugin]?.hasRemovalAlarm = true
    }

    /// Its time is over: what it had pending is journaled and dropped.
    mutating func dropRemoved(_ plugin: PluginIdentifier, at now: Moment) {
        plugins[plugin]?.hasRemovalAlarm = false
        guard let state = plugins[plugin], state.entry == nil, state.occupants.isEmpty, state.recording.isEmpty,
            let since = state.known?.missingSince, since + configuration.removedPluginRetention <= now.wall
        else { return }
        var changes: [LedgerChange] = [.forgetPlugin(plugin)]
        let requests = state.pending.values.sorted { $0.number < $1.number }
        changes += requests.map { .removeRequest($0.number) } + state.events.map { .removeEvent($0.number) }
        for work in requests.map(PendingWork.request) + state.events.map(PendingWork.event) {
            changes.append(
                .journal(
                    JournalEntry(
                        at: now.wall,
                        event: .task(.abandoned),
                        plugin: plugin,
                        label: work.label,
                        submission: work.number,
                        blame: .nobody,
                        message: "its plugin was removed \(configuration.removedPluginRetention.inDays) days ago"
                    )
                )
            )
        }
        stage(.clearance(of: plugin), changes)
    }

    mutating func clear(_ plugin: PluginIdentifier) {
        guard plugins[plugin]?.entry == nil else { return }
        plugins[plugin] = nil
    }
}

extension Duration {
    fileprivate var inDays: Int64 { components.seconds / 86_400 }
}
