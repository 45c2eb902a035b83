// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The spacing of relaunches: a plugin that begins new transfers at each end of a session is launched less and less
// often. The number of relaunches in a row is stored as the setbacks of the transfers and of the events, so that it
// outlives the host. A use of the plugin ends the row, and so does a day.
extension Scheduler {
    /// The longest time from a relaunch to the next one that belongs to the same row.
    private static let relaunchMemory: Duration = .seconds(86_400)
    /// Enough relaunches for the longest spacing.
    private static let mostRelaunches = 30
    /// Number of relaunches in a row from which on they are spaced.
    private static let relaunchesBeforeSpacing = 2

    /// Number of relaunches in a row up to a transfer that a launch begins; 0 for a launch without an event about a
    /// session.
    func relaunches(before launch: LaunchNumber?, at now: Moment) -> Int {
        let tasks = launch.flatMap { launches.find($0)?.execution?.tasks } ?? []
        let counts = tasks.compactMap { task -> Int? in
            guard case .event(let event) = task.work, event.session != nil else { return nil }
            return 1 + (isInRow(event.createdAt, of: event.plugin, at: now) ? event.retry.setbacks : 0)
        }
        return min(counts.max() ?? 0, Self.mostRelaunches)
    }

    /// The row of relaunches and the earliest delivery of the event about a session that ends with a transfer.
    ///
    /// - Parameter replaced: the waiting event about an earlier end of the session. Its time stays: otherwise sessions
    ///   that end often enough would never be reported.
    func relaunch(after request: PendingRequest, replacing replaced: PendingEvent?, at now: Moment) -> Retry {
        let isInRow = isInRow(request.submittedAt, of: request.plugin, at: now)
        let count = max(isInRow ? request.retry.setbacks : 0, replaced?.retry.setbacks ?? 0)
        if let replaced { return Retry(notBefore: replaced.retry.notBefore, setbacks: count) }
        if count < Self.relaunchesBeforeSpacing { return Retry(setbacks: count) }
        let end = request.submittedAt + configuration.retryDelay(afterSetbacks: count)
        return Retry(notBefore: end > now.wall ? end : nil, setbacks: count)
    }

    /// Whether something that a plugin began at a time still belongs to the present row of relaunches.
    private func isInRow(_ time: WallTime, of plugin: PluginIdentifier, at now: Moment) -> Bool {
        now.wall - time < Self.relaunchMemory && lastUses[plugin].map { $0 < time } ?? true
    }

    /// Ends the present row of relaunches of a plugin, because a user uses the plugin. Its waiting events are delivered
    /// without a spacing.
    mutating func endRelaunchRow(of plugin: PluginIdentifier, at now: Moment) {
        lastUses[plugin] = now.wall
        guard plugins.contains(plugin), plugins[plugin].events.contains(.transfersFinished) else { return }
        plugins[plugin].events.dropRelaunchSpacings()
        backlog.add(.consider(plugin, .event))
    }

    // MARK: Order of events

    /// The event of a plugin that is delivered next: the first one, without those that wait for the spacing of
    /// relaunches. If all wait for it, the one whose spacing ends first.
    func nextEvent(of plugin: PluginIdentifier, at now: Moment) -> PendingEvent? {
        let events = plugins[plugin].events.all
        return events.first { !isSpaced($0, at: now) }
            ?? events.min { ($0.retry.notBefore ?? now.wall) < ($1.retry.notBefore ?? now.wall) }
    }

    /// Whether an event waits for the spacing of relaunches. It does not block later events then.
    func isSpaced(_ event: PendingEvent, at now: Moment) -> Bool {
        event.isRelaunch && event.retry.rest(at: now, configuration) != nil
    }

    /// Sets an alarm for the end of the next spacing, while other events of the plugin wait.
    mutating func awaitRelaunches(of plugin: PluginIdentifier, at now: Moment) {
        guard plugins[plugin].events.contains(.transfersFinished) else { return }
        let spaced = plugins[plugin].events.all.filter { isSpaced($0, at: now) }
        if let end = spaced.compactMap(\.retry.notBefore).min() { agenda.add(.plugin(plugin, .event), at: end) }
    }
}

extension PendingEvent {
    /// Whether a delay of the event is the spacing of relaunches, and not the delay after an interruption.
    var isRelaunch: Bool { session != nil && !retry.wasInterrupted }
}
