// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Plugins that come, change and go. Their requests stay through all of it (C17).
extension Scheduler {
    /// Entries are compared with those that are known; what follows from a difference is worked off plugin by plugin.
    mutating func catalogue(
        _ entries: [PluginEntry],
        refused: [PluginIdentifier: String],
        orphans: Set<PluginIdentifier>,
        at now: Moment
    ) {
        let isFirst = !hasCatalogue
        hasCatalogue = true
        let present = Set(entries.map(\.identifier))
        for plugin in plugins.names() where !present.contains(plugin) {
            takeOut(plugin, refusal: refused[plugin], isOrphan: orphans.contains(plugin), isFirst: isFirst, at: now)
        }
        journal(refused, at: now)
        for entry in entries.sorted(by: { $0.identifier < $1.identifier }) {
            know(entry.identifier)
            if plugins[entry.identifier].entry == entry { continue }
            install(entry)
            if !loading.isMissing(entry.identifier), !isFirst { backlog.add(.look(entry.identifier)) }
        }
        if !isFirst { return }
        for plugin in plugins.names() where !loading.isMissing(plugin) {
            begin(plugin, at: now)
        }
        if loading.isPartial { return }
        for event in loading.takeParkedForAll() { dispatch(event, at: now) }
    }

    private mutating func takeOut(
        _ plugin: PluginIdentifier,
        refusal: String?,
        isOrphan: Bool,
        isFirst: Bool,
        at now: Moment
    ) {
        let old = (
            wasInstalled: plugins[plugin].entry != nil, refusal: plugins[plugin].refusal,
            isOrphan: plugins[plugin].isOrphan
        )
        if old == (false, refusal, isOrphan), !isFirst { return }
        if let entry = plugins[plugin].entry {
            owners.remove(entry)
            plugins[plugin].uninstall()
            installedCount -= 1
            noteStrays(of: plugin)
        }
        plugins[plugin].refusal = refusal
        plugins[plugin].isOrphan = isOrphan
        if old.refusal != nil, refusal == nil { noteRemovalAfterRefusal(of: plugin, at: now) }
        if !loading.isMissing(plugin) { backlog.add(.look(plugin)) }
    }

    private mutating func install(_ entry: PluginEntry) {
        let plugin = entry.identifier
        if let old = plugins[plugin].entry { owners.remove(old) } else { installedCount += 1 }
        owners.add(entry)
        plugins[plugin].install(entry)
        noteStrays(of: plugin)
        if let main = entry.containingPlugin { extensions[main, default: []].insert(plugin) }
    }

    /// Its requests whose identifiers it does not own any more are found by name all the same.
    private mutating func noteStrays(of plugin: PluginIdentifier) {
        for request in plugins[plugin].requests.requests() where owners[request.request.identifier] != plugin {
            strays[request.request.identifier, default: []].insert(plugin)
        }
    }

    /// Once each, for as long as the problem is the same. A plugin that a refusal takes out is journaled when it is missed.
    private mutating func journal(_ refused: [PluginIdentifier: String], at now: Moment) {
        journaledRefusals = journaledRefusals.filter { refused[$0.key] == $0.value }
        for (plugin, problem) in refused.sorted(by: { $0.key < $1.key }) where journaledRefusals[plugin] == nil {
            let isKnown = plugins.contains(plugin)
            if isKnown, plugins[plugin].entry == nil { continue }
            journaledRefusals[plugin] = problem
            let message =
                isKnown
                ? "another manifest of it is refused, it stays as it is: \(problem)"
                : "its manifest is refused: \(problem)"
            note(JournalEntry(at: now.wall, event: .pluginRefused, plugin: plugin, blame: .nobody, message: message))
        }
    }

    /// A plugin has come, changed or gone: it is remembered, its schedules arranged, its work considered.
    mutating func look(at plugin: PluginIdentifier, _ now: Moment) {
        guard plugins.contains(plugin), !loading.isMissing(plugin) else { return }
        lookAfter(plugin, at: now)
        arrangeSchedules(of: plugin, at: now)
        for lane in Lane.allCases { consider(plugin, lane, at: now) }
        // An extension waits for its main plugin.
        for plugin in (extensions[plugin] ?? []).sorted() { backlog.add(.consider(plugin, .event)) }
    }

    // MARK: Arrival

    /// Remembers a plugin that is new or has changed, and tells a main one that it started (C11).
    mutating func welcome(_ plugin: PluginIdentifier, at now: Moment) {
        guard let entry = plugins[plugin].entry, plugins[plugin].memory == .settled else { return }
        let known = KnownPlugin(entry)
        let hasChanged = plugins[plugin].known != known
        guard hasChanged || plugins[plugin].wantsStart else { return }
        var changes: [LedgerChange] = []
        if hasChanged {
            changes.append(.rememberPlugin(known))
            changes.append(.journal(arrival(of: entry, isNew: plugins[plugin].isNew, at: now)))
        }
        let event = startedEvent(for: entry, at: now)
        if let event { changes.append(.storeEvent(event, payload: [])) }
        if changes.isEmpty { return }
        plugins[plugin].memory = .changing
        plugins[plugin].wantsStart = false
        stage(.welcome(of: plugin, as: known, event), changes)
    }

    /// One that waits already will reach the new library as well.
    private mutating func startedEvent(for entry: PluginEntry, at now: Moment) -> PendingEvent? {
        let plugin = entry.identifier
        // A library with bound functions has nothing that could receive it.
        guard entry.role == .main, entry.handlers.isEmpty, plugins[plugin].policy.isEnabled,
            plugins[plugin].events.expectedCount < configuration.eventLimit,
            !plugins[plugin].events.contains(.started)
        else { return nil }
        return PendingEvent(plugin: plugin, number: nextSubmission(), type: .started, createdAt: now.wall)
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
        if let event { insert(event) }
        remembered(plugin, as: known, at: now)
        consider(plugin, .event, at: now)
    }

    mutating func notWelcomed(_ plugin: PluginIdentifier, _ event: PendingEvent?, at now: Moment) {
        plugins[plugin].wantsStart = event != nil
        notRemembered(plugin, at: now)
    }

    // MARK: What the ledger remembers of a plugin: one commit at a time

    mutating func remembered(_ plugin: PluginIdentifier, as known: KnownPlugin?, at now: Moment) {
        plugins[plugin].memory = .settled
        plugins[plugin].known = known
        if plugins[plugin].entry != nil { plugins[plugin].refusal = nil }
        lookAfter(plugin, at: now)
    }

    mutating func notRemembered(_ plugin: PluginIdentifier, at now: Moment) {
        plugins[plugin].memory = .settled
        agenda.add(.memory(plugin), at: now.monotonic + configuration.hostRetryDelay)
    }

    /// It may have come, changed or gone while something about it was recorded.
    mutating func lookAfter(_ plugin: PluginIdentifier, at now: Moment) {
        guard hasCatalogue, plugins.contains(plugin), !loading.isMissing(plugin) else { return }
        if plugins[plugin].entry == nil { miss(plugin, at: now) } else { welcome(plugin, at: now) }
    }
}
