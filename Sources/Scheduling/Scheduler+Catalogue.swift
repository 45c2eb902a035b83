// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Plugins that come, change and go. Their requests stay through all of it (C17).
extension Scheduler {
    /// Plugins that the change does not name are not looked at, but for those that the first catalogue misses. What follows
    /// from the change is worked off plugin by plugin.
    mutating func catalogue(_ change: CatalogueChange, at now: Moment) {
        let isFirst = !hasCatalogue
        hasCatalogue = true
        refusals.merge(change.refused) { _, new in new }
        for plugin in change.accepted { refusals[plugin] = nil }
        let installed = Set(change.installed.map(\.identifier))
        var absent = Set(change.removed).union(change.refused.keys).union(change.accepted)
        if isFirst { absent.formUnion(plugins.names()) }
        for plugin in absent.subtracting(installed).sorted() where plugins.contains(plugin) {
            let isRemoved = isFirst || change.removed.contains(plugin)
            if isRemoved || plugins[plugin].entry == nil { takeOut(plugin, isFirst: isFirst, at: now) }
        }
        for entry in change.installed {
            know(entry.identifier)
            if plugins[entry.identifier].entry == entry { continue }
            install(entry)
            if !isFirst { backlog.add(.look(entry.identifier)) }
        }
        journalRefusals(of: installed.union(change.refused.keys).union(change.accepted), at: now)
        if !isFirst { return }
        for plugin in plugins.names() where !loading.isMissing(plugin) {
            begin(plugin, at: now)
        }
        if loading.isPartial { return }
        for event in loading.takeParkedForAll() { dispatch(event, at: now) }
    }

    /// No manifest describes the plugin, or none that can be used.
    private mutating func takeOut(_ plugin: PluginIdentifier, isFirst: Bool, at now: Moment) {
        let refusal = refusals[plugin]
        let old = (
            wasInstalled: plugins[plugin].entry != nil, refusal: plugins[plugin].refusal,
            isOrphan: plugins[plugin].isOrphan
        )
        if old == (false, refusal?.problem, refusal?.isOrphan ?? false), !isFirst { return }
        if let entry = plugins[plugin].entry {
            owners.remove(entry)
            plugins[plugin].uninstall()
            installedCount -= 1
            noteStrays(of: plugin)
        }
        setRefusal(of: plugin)
        if old.refusal != nil, refusal == nil { noteRemovalAfterRefusal(of: plugin, at: now) }
        backlog.add(.look(plugin))
    }

    /// Gives a plugin that is not installed the refusal of its manifest, if there is one.
    mutating func setRefusal(of plugin: PluginIdentifier) {
        plugins[plugin].refusal = refusals[plugin]?.problem
        plugins[plugin].isOrphan = refusals[plugin]?.isOrphan ?? false
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

    /// Journals each problem once, for as long as it is the same. A plugin that a refusal takes out is journaled when it is
    /// missed.
    private mutating func journalRefusals(of concerned: Set<PluginIdentifier>, at now: Moment) {
        for plugin in concerned.sorted() {
            let problem = refusals[plugin]?.problem
            if journaledRefusals[plugin] == problem { continue }
            journaledRefusals[plugin] = nil
            let isInstalled = plugins.contains(plugin) && plugins[plugin].entry != nil
            guard let problem, isInstalled || !plugins.contains(plugin) else { continue }
            journaledRefusals[plugin] = problem
            let message =
                isInstalled
                ? "another manifest of it is refused, it stays as it is: \(problem)"
                : "its manifest is refused: \(problem)"
            note(JournalEntry(at: now.wall, event: .pluginRefused, plugin: plugin, blame: .nobody, message: message))
        }
    }

    /// A plugin has come, changed or gone: it is remembered, its schedules arranged, its work considered.
    mutating func look(at plugin: PluginIdentifier, _ now: Moment) {
        guard plugins.contains(plugin) else { return }
        // An extension waits for the manifest of its main plugin, and not for the pending work of that.
        for plugin in (extensions[plugin] ?? []).sorted() { backlog.add(.consider(plugin, .event)) }
        if loading.isMissing(plugin) { return }
        lookAfter(plugin, at: now)
        arrangeSchedules(of: plugin, at: now)
        for lane in Lane.allCases { consider(plugin, lane, at: now) }
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
        if let event { insert(event, at: now) }
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
