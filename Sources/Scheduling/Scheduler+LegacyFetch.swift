// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Legacy fetch (statement 84): an event whenever the interval that a plugin asked for is over.
extension Scheduler {
    /// Changes of one launch that are written.
    private static let mostFetchIntervals = 20

    mutating func setFetchInterval(of number: LaunchNumber, to interval: Duration?, at now: Moment) {
        guard isListening(to: number), let launch = launches[number], let entry = launch.plan?.plugin else { return }
        guard entry.isLegacyFetch else {
            return note(
                number,
                rule: "BGT-ABI-06",
                at: now,
                message:
                    "\(entry.identifier) asked for legacy fetch, which is for main plugins with mode fetch and without"
                    + " permitted identifiers (statement 6); submit refresh requests"
            )
        }
        let schedule = interval.map {
            FetchSchedule(interval: max($0, configuration.minimumFetchInterval), last: now.wall)
        }
        if fetches[launch.plugin]?.interval == schedule?.interval { return }
        launches[number]?.fetchIntervals += 1
        guard launch.fetchIntervals < Self.mostFetchIntervals else {
            return note(
                number,
                rule: "BGT-ABI-06",
                at: now,
                message: "\(entry.identifier) asked for another fetch interval \(launch.fetchIntervals) times in one"
                    + " launch; set it once"
            )
        }
        fetches[launch.plugin] = schedule
        keep([.setFetch(launch.plugin, schedule)])
        arrangeFetch(of: launch.plugin, at: now)
    }

    mutating func arrangeFetch(of plugin: PluginIdentifier, at now: Moment) {
        guard let fetch = fetches[plugin], let entry = plugins[plugin]?.entry else { return }
        if !entry.isLegacyFetch {
            fetches[plugin] = nil
            return keep([.setFetch(plugin, nil)])
        }
        if fetch.last > now.wall {
            // The clock was ahead then.
            fetches[plugin]?.last = now.wall
            keep([.setFetch(plugin, fetches[plugin])])
        }
        agenda.addOnce(.fetch(plugin), at: min(fetch.last, now.wall) + fetch.interval)
    }

    func isFetchDue(for plugin: PluginIdentifier, at now: Moment) -> Bool {
        fetches[plugin].map { $0.last + $0.interval <= now.wall } ?? false
    }

    /// One event stands for every interval that has passed; without a network there is nothing to fetch.
    mutating func lookAtFetch(of plugin: PluginIdentifier, at now: Moment) {
        guard !isStopping, isFetchDue(for: plugin, at: now), let state = plugins[plugin], let entry = state.entry,
            entry.isLegacyFetch
        else { return arrangeFetch(of: plugin, at: now) }
        guard conditions.hasNetwork else { return awaitNetworkForFetch(plugin) }
        let policy = configuration.policy(for: plugin)
        let isWelcome =
            configuration.isBackgroundRefreshOn && policy.isBackgroundRefreshOn && policy.isEnabled
            && !policy.isBackgroundDenied
        fetches[plugin]?.last = now.wall
        var changes: [LedgerChange] = [.setFetch(plugin, fetches[plugin])]
        let isKnown = state.events.contains { $0.type == .fetch } || state.isFetching
        if isWelcome, !isKnown, state.eventCount < configuration.eventLimit {
            lastSubmission = SubmissionNumber(rawValue: lastSubmission.rawValue + 1)
            let event = PendingEvent(plugin: plugin, number: lastSubmission, type: .fetch, createdAt: now.wall)
            changes.append(.storeEvent(event, payload: []))
            plugins[plugin]?.arrivingEvents += 1
            plugins[plugin]?.isFetching = true
            stage(.arrival(event), changes)
        } else {
            keep(changes)
        }
        arrangeFetch(of: plugin, at: now)
    }

    private mutating func awaitNetworkForFetch(_ plugin: PluginIdentifier) { fetchesWithoutNetwork.insert(plugin) }

    /// A later interval brings the next one, should this one not have been written.
    mutating func arrived(_ event: PendingEvent, isWritten: Bool, at now: Moment) {
        plugins[event.plugin]?.arrivingEvents -= 1
        plugins[event.plugin]?.isFetching = false
        if isWritten { store(event, at: now) }
        consider(event.plugin, .event, at: now)
        miss(event.plugin, at: now)
    }
}

extension PluginEntry {
    /// Mode fetch without identifiers to submit (statements 6 and 84).
    package var isLegacyFetch: Bool { role == .main && permitted.isEmpty && modes.contains(.fetch) }
}
