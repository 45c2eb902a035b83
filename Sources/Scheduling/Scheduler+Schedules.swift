// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Recurring work: the operator's schedules (submitted here, like any request) and legacy fetch (delivered as an event).
extension Scheduler {
    /// With each catalogue: who has come, changed or gone.
    mutating func arrangeSchedules(of plugin: PluginIdentifier, at now: Moment) {
        guard plugins[plugin]?.entry != nil else { return }
        let schedules = configuration.policy(for: plugin).schedules
        for identifier in schedules.keys.sorted() { arrangeOccasion(of: identifier, plugin, at: now) }
        arrangeFetch(of: plugin, at: now)
    }

    // MARK: Schedules

    /// A clock is corrected by so much in the course of things; by more it was wrong.
    private static let smallCorrection: Duration = .seconds(3 * 60 * 60)

    /// When a schedule's request will be submitted next, for those who ask.
    package func nextOccasion(of identifier: TaskIdentifier, of plugin: PluginIdentifier) -> WallTime? {
        guard let schedule = schedule(of: identifier, plugin), let last = occasions[identifier] else { return nil }
        return schedule.occasion(after: last).map { $0 + schedule.place(of: identifier) }
    }

    private func schedule(of identifier: TaskIdentifier, _ plugin: PluginIdentifier) -> WorkSchedule? {
        configuration.policy(for: plugin).schedules[identifier]
    }

    private mutating func arrangeOccasion(of identifier: TaskIdentifier, _ plugin: PluginIdentifier, at now: Moment) {
        guard let schedule = schedule(of: identifier, plugin) else { return }
        // A schedule that is seen for the first time, or from a clock that was far ahead, begins now; one that was set
        // back a little repeats nothing.
        let last = occasions[identifier].flatMap { $0 <= now.wall + Self.smallCorrection ? $0 : nil }
        if last == nil { pass(now.wall, of: identifier) }
        guard let next = schedule.occasion(after: last ?? now.wall) else { return }
        agenda.addOnce(.occasion(plugin, identifier), at: next + schedule.place(of: identifier))
    }

    /// However many occasions were missed, one request stands for all of them.
    mutating func lookAtOccasion(of identifier: TaskIdentifier, _ plugin: PluginIdentifier, at now: Moment) {
        guard !isStopping, let schedule = schedule(of: identifier, plugin), plugins[plugin]?.entry != nil else {
            return
        }
        let place = schedule.place(of: identifier)
        let upTo = WallTime(nanoseconds: now.wall.nanoseconds - place.wholeNanoseconds)
        if let last = occasions[identifier], let latest = schedule.latestOccasion(since: last, upTo: upTo) {
            pass(latest, of: identifier)
            if !isPendingOrRunning(identifier, of: plugin) {
                submit(
                    Submission(request: schedule.request(for: identifier), submitter: .schedule),
                    reply: nil,
                    at: now
                )
            }
        }
        arrangeOccasion(of: identifier, plugin, at: now)
    }

    private mutating func pass(_ occasion: WallTime, of identifier: TaskIdentifier) {
        occasions[identifier] = occasion
        keep([.recordOccasion(identifier, at: occasion)])
    }

    private func isPendingOrRunning(_ identifier: TaskIdentifier, of plugin: PluginIdentifier) -> Bool {
        if plugins[plugin]?.expected[identifier] != nil { return true }
        return launches.values.contains { launch in
            launch.plugin == plugin && launch.unfinished.contains { launch.tasks[$0].work.identifier == identifier }
        }
    }

    // MARK: Legacy fetch (statement 84)

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

    private mutating func arrangeFetch(of plugin: PluginIdentifier, at now: Moment) {
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
