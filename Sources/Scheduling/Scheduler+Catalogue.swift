// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Plugins that come, change and go. Their requests stay through all of it (C17).
extension Scheduler {
    mutating func catalogue(
        _ entries: [PluginEntry],
        refused: [PluginIdentifier: String],
        orphans: Set<PluginIdentifier>,
        at now: Moment
    ) {
        let isFirst = !hasCatalogue
        hasCatalogue = true
        let returning = Set(launches.values.flatMap(\.record.returning).map(\.plugin))
        if isFirst { recordRecovery() }
        owners = IdentifierOwners(entries: entries)
        let present = Set(entries.map(\.identifier))
        for plugin in plugins.keys.sorted() where !present.contains(plugin) {
            plugins[plugin]?.entry = nil
            let wasRefused = plugins[plugin]?.refusal != nil
            plugins[plugin]?.refusal = refused[plugin]
            plugins[plugin]?.isOrphan = orphans.contains(plugin)
            if wasRefused, refused[plugin] == nil { noteRemovalAfterRefusal(of: plugin, at: now) }
            miss(plugin, at: now)
            for lane in Lane.allCases { consider(plugin, lane, at: now) }
        }
        tell(refused, at: now)
        var changed: [PluginEntry] = []
        for entry in entries.sorted(by: { $0.identifier < $1.identifier }) {
            if plugins[entry.identifier] == nil {
                plugins[entry.identifier] = PluginState(identifier: entry.identifier)
                takeUpUse(of: entry.identifier)
            }
            if plugins[entry.identifier]?.entry == entry, !isFirst { continue }
            changed.append(entry)
            plugins[entry.identifier]?.entry = entry
            plugins[entry.identifier]?.isOrphan = false
            plugins[entry.identifier]?.lastEntry = entry
            plugins[entry.identifier]?.endRemovalDoubt()
            if isFirst, !returning.contains(entry.identifier) {
                let hasNothingPending = plugins[entry.identifier]?.hasNothingPending ?? true
                plugins[entry.identifier]?.wantsStart = hasNothingPending
            }
        }
        // Once all of them are there: an extension waits for its main plugin, whichever comes first.
        for entry in changed {
            welcome(entry.identifier, at: now)
            arrangeSchedules(of: entry.identifier, at: now)
            for lane in Lane.allCases { consider(entry.identifier, lane, at: now) }
        }
        let mains = Set(changed.map(\.identifier))
        for (plugin, state) in plugins.sorted(by: { $0.key < $1.key })
        where state.containingPlugin.map(mains.contains) ?? false { consider(plugin, .event, at: now) }
    }

    /// Once each, for as long as they say the same. A plugin that a refusal takes out is told of when it is missed.
    private mutating func tell(_ refused: [PluginIdentifier: String], at now: Moment) {
        toldRefusals = toldRefusals.filter { refused[$0.key] == $0.value }
        for (plugin, problem) in refused.sorted(by: { $0.key < $1.key }) where toldRefusals[plugin] == nil {
            let state = plugins[plugin]
            if let state, state.entry == nil { continue }
            toldRefusals[plugin] = problem
            let message =
                state == nil
                ? "its manifest is refused: \(problem)"
                : "another manifest of it is refused, it stays as it is: \(problem)"
            note(JournalEntry(at: now.wall, event: .pluginRefused, plugin: plugin, blame: .nobody, message: message))
        }
    }

    /// Remembers a plugin that is new or has changed, and tells a main one that it started (C11).
    mutating func welcome(_ plugin: PluginIdentifier, at now: Moment) {
        guard let state = plugins[plugin], let entry = state.entry, !state.isBeingRemembered else { return }
        let known = KnownPlugin(entry)
        let hasChanged = state.known != known
        guard hasChanged || state.wantsStart else { return }
        var changes: [LedgerChange] = []
        if hasChanged {
            changes.append(.rememberPlugin(known))
            changes.append(.journal(arrival(of: entry, isNew: state.isNew, at: now)))
        }
        let event = startedEvent(for: state, entry, at: now)
        if let event { changes.append(.storeEvent(event, payload: [])) }
        if changes.isEmpty { return }
        plugins[plugin]?.isBeingRemembered = true
        plugins[plugin]?.wantsStart = false
        stage(.welcome(of: plugin, as: known, event), changes)
    }

    /// One that waits already will reach the new library as well.
    private mutating func startedEvent(
        for state: PluginState,
        _ entry: PluginEntry,
        at now: Moment
    ) -> PendingEvent? {
        // A library with bound functions has nothing that could be told.
        guard entry.role == .main, entry.handlers.isEmpty, configuration.policy(for: entry.identifier).isEnabled,
            state.eventCount < configuration.eventLimit, !state.events.contains(where: { $0.type == .started })
        else { return nil }
        lastSubmission = SubmissionNumber(rawValue: lastSubmission.rawValue + 1)
        return PendingEvent(plugin: entry.identifier, number: lastSubmission, type: .started, createdAt: now.wall)
    }

    private func arrival(of entry: PluginEntry, isNew: Bool, at now: Moment) -> JournalEntry {
        let name = entry.version.isEmpty ? entry.name : "\(entry.name) \(entry.version)"
        return JournalEntry(
            at: now.wall,
            event: isNew ? .pluginInstalled : .pluginChanged,
            plugin: entry.identifier,
            blame: .nobody,
            message: "\(name), described by \(entry.manifestPath), library \(entry.library.path)"
        )
    }

    mutating func welcomed(_ plugin: PluginIdentifier, as known: KnownPlugin, _ event: PendingEvent?, at now: Moment) {
        if let event { store(event, at: now) }
        remembered(plugin, as: known, at: now)
        consider(plugin, .event, at: now)
    }

    mutating func notWelcomed(_ plugin: PluginIdentifier, _ event: PendingEvent?, at now: Moment) {
        plugins[plugin]?.wantsStart = event != nil
        notRemembered(plugin, at: now)
    }

    // MARK: What the ledger remembers of a plugin: one commit at a time

    mutating func remembered(_ plugin: PluginIdentifier, as known: KnownPlugin?, at now: Moment) {
        plugins[plugin]?.isBeingRemembered = false
        plugins[plugin]?.known = known
        if plugins[plugin]?.entry != nil { plugins[plugin]?.refusal = nil }
        lookAfter(plugin, at: now)
    }

    mutating func notRemembered(_ plugin: PluginIdentifier, at now: Moment) {
        plugins[plugin]?.isBeingRemembered = false
        agenda.add(.care(plugin), at: now.monotonic + configuration.hostRetryDelay)
    }

    /// It may have come, changed or gone while something about it was recorded.
    mutating func lookAfter(_ plugin: PluginIdentifier, at now: Moment) {
        if plugins[plugin]?.entry == nil { miss(plugin, at: now) } else { welcome(plugin, at: now) }
    }
}
