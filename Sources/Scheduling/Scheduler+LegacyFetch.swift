// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Legacy fetch (statement 84): an event after each interval that a plugin has requested.
extension Scheduler {
    /// Maximum number of changes of the fetch interval per launch.
    private static let mostFetchIntervals = 20

    mutating func setFetchInterval(of number: LaunchNumber, to interval: Duration?, at now: Moment) {
        guard let entry = launches.listening(number)?.plan.plugin else { return }
        guard entry.isLegacyFetch else {
            let message =
                "\(entry.identifier) requested legacy fetch, which requires a main plugin with the background mode"
                + " fetch and without permitted identifiers"
            return noteForged(number, rule: nil, message: message, at: now)
        }
        let schedule = interval.map {
            FetchSchedule(interval: max($0, configuration.minimumFetchInterval), last: now.wall)
        }
        let plugin = entry.identifier
        if fetches[plugin]?.interval == schedule?.interval { return }
        let earlier = launches.execute(number) { execution in
            execution.fetchIntervals += 1
            return execution.fetchIntervals - 1
        }
        guard let earlier, earlier < Self.mostFetchIntervals else {
            let message =
                "\(plugin) changed the fetch interval more than \(Self.mostFetchIntervals) times in one launch; this"
                + " change has no effect; set the interval once"
            return note(number, rule: nil, message: message, at: now)
        }
        fetches[plugin] = schedule
        keep([.setFetch(plugin, schedule)])
        arrangeFetch(of: plugin, at: now)
    }

    mutating func arrangeFetch(of plugin: PluginIdentifier, at now: Moment) {
        guard let fetch = fetches[plugin], plugins.contains(plugin), let entry = plugins[plugin].entry else { return }
        if !entry.isLegacyFetch {
            fetches[plugin] = nil
            return keep([.setFetch(plugin, nil)])
        }
        if fetch.last > now.wall {
            // The clock was ahead at the last fetch.
            fetches[plugin]?.last = now.wall
            keep([.setFetch(plugin, fetches[plugin])])
        }
        agenda.add(.fetch(plugin), at: min(fetch.last, now.wall) + fetch.interval)
    }

    /// Stores a fetch event if the fetch interval of the plugin has passed and there is a network. One event stands for
    /// all intervals that have passed. None is stored while the operator denies it, while a fetch event already waits
    /// or arrives, while the queue is full, or for a plugin whose header does not have the event; the interval then
    /// starts again.
    mutating func checkFetch(of plugin: PluginIdentifier, at now: Moment) {
        guard !isStopping, let fetch = fetches[plugin], fetch.last + fetch.interval <= now.wall,
            plugins.contains(plugin), !loading.isMissing(plugin),
            let entry = plugins[plugin].entry, entry.isLegacyFetch
        else { return arrangeFetch(of: plugin, at: now) }
        guard conditions.hasNetwork else {
            fetchesWithoutNetwork.insert(plugin)
            return
        }
        let policy = plugins[plugin].policy
        let isWelcome =
            configuration.isBackgroundRefreshOn && policy.isBackgroundRefreshOn && policy.isEnabled
            && !policy.isBackgroundDenied
        fetches[plugin]?.last = now.wall
        var changes: [LedgerChange] = [.setFetch(plugin, fetches[plugin])]
        let isKnown = plugins[plugin].events.contains(.fetch) || plugins[plugin].events.isArriving(.fetch)
        let isDeliverable = configuration.abiMinors.delivers(.fetch, to: entry.library)
        if isWelcome, isDeliverable, !isKnown, plugins[plugin].events.expectedCount < configuration.eventLimit {
            let event = PendingEvent(plugin: plugin, number: nextSubmission(), type: .fetch, createdAt: now.wall)
            changes.append(.storeEvent(event, payload: []))
            plugins[plugin].events.begin(event)
            stage(.arrival(event), changes)
        } else {
            keep(changes)
        }
        arrangeFetch(of: plugin, at: now)
    }

    /// Applies the result of the commit that stores a fetch event. After a failed commit the event is dropped; the next
    /// interval brings another one.
    mutating func arrived(_ event: PendingEvent, isWritten: Bool, at now: Moment) {
        plugins[event.plugin].events.end(event)
        if isWritten { insert(event, at: now) }
        consider(event.plugin, .event, at: now)
        reevaluate(event.plugin, at: now)
    }
}

extension PluginEntry {
    /// Whether the plugin is a main plugin with mode `fetch` and without permitted identifiers (statements 6 and 84).
    package var isLegacyFetch: Bool { role == .main && permitted.isEmpty && modes.contains(.fetch) }
}
