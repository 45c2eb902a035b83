// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Installation, change and removal of plugins. Their requests stay throughout (C17).
extension Scheduler {
    /// Applies a change of the catalogue. Only the plugins in the change are processed; the first change also treats
    /// all known plugins that it does not contain as removed. The further steps are queued as one chore per plugin.
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
            if isRemoved || plugins[plugin].entry == nil { takeOut(plugin, at: now) }
        }
        for entry in change.installed {
            know(entry.identifier)
            if plugins[entry.identifier].entry == entry { continue }
            install(entry)
            backlog.add(.evaluation(entry.identifier))
        }
        journalRefusals(of: installed.union(change.refused.keys).union(change.accepted), at: now)
        if !isFirst { return }
        for plugin in plugins.names() where !loading.isMissing(plugin) {
            begin(plugin, at: now)
        }
        // Events of plugins that are not loaded yet are parked again.
        for event in loading.takeParkedForAll() { dispatch(event, at: now) }
    }

    /// Uninstalls a plugin that no usable manifest describes.
    private mutating func takeOut(_ plugin: PluginIdentifier, at now: Moment) {
        let wasRefused = plugins[plugin].refusal != nil
        if let entry = plugins[plugin].entry {
            owners.remove(entry)
            plugins[plugin].uninstall()
            installedCount -= 1
            noteStrays(of: plugin)
        }
        setRefusal(of: plugin)
        if wasRefused, refusals[plugin] == nil { noteRemovalAfterRefusal(of: plugin, at: now) }
        backlog.add(.evaluation(plugin))
    }

    /// Sets the refusal of a plugin that is not installed: the problem of its refused manifest, or nil.
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

    /// Indexes the pending requests whose identifiers the plugin no longer owns, so that lookups by identifier still
    /// find them.
    private mutating func noteStrays(of plugin: PluginIdentifier) {
        for request in plugins[plugin].requests.requests() where owners[request.request.identifier] != plugin {
            strays[request.request.identifier, default: []].insert(plugin)
        }
    }

    /// Journals each new problem of a refused manifest, if the plugin is installed or has no state. A refusal that
    /// uninstalls a plugin is journaled by `miss` instead.
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
                ? "another manifest of this plugin is refused, and the installed one stays in force: \(problem)"
                : "the plugin is refused: \(problem)"
            let event = refusals[plugin]?.event ?? .pluginRefused
            note(JournalEntry(at: now.wall, event: event, plugin: plugin, blame: .nobody, message: message))
        }
    }

    /// Processes a plugin that was installed, changed, removed or loaded: its record, its schedules and its work.
    mutating func evaluateInstalled(of plugin: PluginIdentifier, _ now: Moment) {
        guard plugins.contains(plugin) else { return }
        // An extension depends on the manifest of its main plugin, but not on the main plugin's pending work.
        for plugin in (extensions[plugin] ?? []).sorted() { backlog.add(.consider(plugin, .event)) }
        expireTransfers(withoutRightsOf: plugin, at: now)
        if loading.isMissing(plugin) { return }
        resumeDownloads(of: plugin, at: now)
        reevaluate(plugin, at: now)
        arrangeSchedules(of: plugin, at: now)
        for lane in Lane.allCases { consider(plugin, lane, at: now) }
    }

    // MARK: Arrival

    /// Records a plugin that is new or has changed. Stores the event `started` for it, and for a main plugin that has
    /// nothing pending when the host starts (C11).
    mutating func welcome(_ plugin: PluginIdentifier, at now: Moment) {
        guard let entry = plugins[plugin].entry, plugins[plugin].recordState == .settled else { return }
        let known = KnownPlugin(entry)
        let hasChanged = plugins[plugin].known != known
        guard hasChanged || plugins[plugin].wantsStart else { return }
        var changes: [LedgerChange] = []
        if hasChanged {
            changes.append(.rememberPlugin(known))
            changes.append(.journal(arrival(of: entry, as: known, at: now)))
        }
        let event = startedEvent(for: entry, at: now)
        if let event { changes.append(.storeEvent(event, payload: [])) }
        if changes.isEmpty { return }
        plugins[plugin].recordState = .changing
        plugins[plugin].wantsStart = false
        stage(.welcome(of: plugin, as: known, event), changes)
    }

    /// The event `started` for a plugin that is new, has changed, or has nothing pending when the host starts.
    ///
    /// Nil for an extension, for a library with bound functions, for a disabled plugin, for a full queue of events, and
    /// for a plugin whose header does not have the event. Nil, too, when a `started` event already waits: the present
    /// library will receive that event.
    private mutating func startedEvent(for entry: PluginEntry, at now: Moment) -> PendingEvent? {
        let plugin = entry.identifier
        // A library with bound functions has no code that could receive the event.
        guard entry.role == .main, entry.handlers.isEmpty, plugins[plugin].policy.isEnabled,
            plugins[plugin].events.expectedCount < configuration.eventLimit,
            !plugins[plugin].events.contains(.started),
            configuration.abiMinors.delivers(.started, to: entry.library)
        else { return nil }
        return PendingEvent(plugin: plugin, number: nextSubmission(), type: .started, createdAt: now.wall)
    }

    /// The entry about a new plugin, or about a changed one with the parts that changed since its last record.
    private func arrival(of entry: PluginEntry, as known: KnownPlugin, at now: Moment) -> JournalEntry {
        let record = plugins[entry.identifier]
        let parts = record.isNew ? [] : record.known.map(known.changedParts(since:)) ?? []
        let name = entry.version.isEmpty ? entry.name : "\(entry.name) \(entry.version)"
        return JournalEntry(
            at: now.wall,
            event: record.isNew ? .pluginInstalled : .pluginChanged,
            plugin: entry.identifier,
            blame: .nobody,
            message: (parts.isEmpty ? "" : "changed: \(parts.joined(separator: ", ")); ")
                + "\(name), manifest \(entry.manifestPath), library \(entry.library.path)"
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

    // MARK: Records of plugins: one commit at a time

    mutating func remembered(_ plugin: PluginIdentifier, as known: KnownPlugin?, at now: Moment) {
        plugins[plugin].recordState = .settled
        plugins[plugin].known = known
        if plugins[plugin].entry != nil { plugins[plugin].refusal = nil }
        reevaluate(plugin, at: now)
    }

    mutating func notRemembered(_ plugin: PluginIdentifier, at now: Moment) {
        plugins[plugin].recordState = .settled
        agenda.add(.memory(plugin), at: now.monotonic + configuration.hostRetryDelay)
    }

    /// Compares the record of a plugin with the plugin's state, which may have changed during the last commit of the
    /// record, and records a difference.
    mutating func reevaluate(_ plugin: PluginIdentifier, at now: Moment) {
        guard hasCatalogue, plugins.contains(plugin), !loading.isMissing(plugin) else { return }
        if plugins[plugin].entry == nil { miss(plugin, at: now) } else { welcome(plugin, at: now) }
    }
}
