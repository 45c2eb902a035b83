// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Recurring work: the operator's schedules, submitted like other requests.
extension Scheduler {
    /// Arranges the next alarms of the plugin's schedules and of its legacy fetch.
    mutating func arrangeSchedules(of plugin: PluginIdentifier, at now: Moment) {
        guard plugins.contains(plugin), plugins[plugin].entry != nil else { return }
        let schedules = plugins[plugin].policy.schedules
        for identifier in schedules.keys.sorted() { arrangeOccurrence(of: identifier, plugin, at: now) }
        arrangeFetch(of: plugin, at: now)
    }

    /// Maximum plausible time by which the last occurrence is ahead of the wall clock. If the last occurrence is
    /// further ahead, the clock was wrong when the occurrence was recorded.
    private static func lead(of schedule: WorkSchedule) -> Duration {
        let correction: Duration = .seconds(3 * 60 * 60)
        // A change of the time zone moves the occurrence of a date by at most the limit.
        return schedule.calendar == nil ? correction : correction + .seconds(TimeZoneRules.offsetLimit)
    }

    /// The time of the next submission by a schedule, including the stagger. Nil without a schedule, before the
    /// schedule is first arranged, and when no further occurrence is known.
    package func nextOccurrence(of identifier: TaskIdentifier, of plugin: PluginIdentifier) -> WallTime? {
        guard let schedule = schedule(of: identifier, plugin), let last = occurrences[identifier] else { return nil }
        return schedule.occurrence(after: last, in: timeZones).map { $0 + schedule.staggerOffset(of: identifier) }
    }

    func schedule(of identifier: TaskIdentifier, _ plugin: PluginIdentifier) -> WorkSchedule? {
        configuration.plugins[plugin]?.schedules[identifier]
    }

    mutating func arrangeOccurrence(of identifier: TaskIdentifier, _ plugin: PluginIdentifier, at now: Moment) {
        // While an occurrence is being written, arranging waits for the result.
        guard let schedule = schedule(of: identifier, plugin), !inFlight.containsOccurrence(of: identifier) else {
            return
        }
        // A new schedule begins now, and so does one whose last time is far in the future, from a clock that was ahead.
        // After a small correction of the clock no occurrence is repeated.
        let last = occurrences[identifier].flatMap { $0 <= now.wall + Self.lead(of: schedule) ? $0 : nil }
        if last == nil { pass(now.wall, of: identifier) }
        guard let next = schedule.occurrence(after: last ?? now.wall, in: timeZones) else { return }
        agenda.add(.occurrence(plugin, identifier), at: next + schedule.staggerOffset(of: identifier))
    }

    /// Submits the request of a schedule when an occurrence is due, unless a request of the identifier is pending or
    /// running. One request stands for all missed occurrences.
    mutating func submitOccurrence(of identifier: TaskIdentifier, _ plugin: PluginIdentifier, at now: Moment) {
        guard !isStopping, let schedule = schedule(of: identifier, plugin), plugins.contains(plugin),
            plugins[plugin].entry != nil, !loading.isMissing(plugin),
            !inFlight.containsOccurrence(of: identifier)
        else { return }
        let offset = schedule.staggerOffset(of: identifier)
        let upTo = WallTime(nanoseconds: now.wall.nanoseconds - offset.wholeNanoseconds)
        if let last = occurrences[identifier],
            let latest = schedule.latestOccurrence(since: last, upTo: upTo, in: timeZones)
        {
            // Whether another request already stands for the occurrence is known only after its commit.
            if plugins[plugin].requests.isInFlight(identifier) || waiting.closes(identifier, of: plugin) {
                return retryOccurrence(of: identifier, plugin, at: now)
            }
            if isPendingOrRunning(identifier, of: plugin) {
                pass(latest, of: identifier)
            } else {
                submit(
                    Submission(request: schedule.request(for: identifier), submitter: .schedule),
                    for: .schedule(of: plugin, occurrence: latest),
                    at: now
                )
            }
        }
        arrangeOccurrence(of: identifier, plugin, at: now)
    }

    private mutating func retryOccurrence(
        of identifier: TaskIdentifier,
        _ plugin: PluginIdentifier,
        at now: Moment
    ) {
        agenda.add(.occurrence(plugin, identifier), at: now.wall + configuration.hostRetryDelay)
    }

    /// Applies an occurrence that is on disk together with its request.
    mutating func settleOccurrence(
        _ occurrence: WallTime,
        of identifier: TaskIdentifier,
        _ plugin: PluginIdentifier,
        at now: Moment
    ) {
        occurrences[identifier] = occurrence
        moveOccurrenceOfCommit(of: identifier, plugin)
        arrangeOccurrence(of: identifier, plugin, at: now)
    }

    /// Arranges another attempt after the commit of an occurrence and its request failed.
    mutating func rollBackOccurrence(of identifier: TaskIdentifier, _ plugin: PluginIdentifier, at now: Moment) {
        moveOccurrenceOfCommit(of: identifier, plugin)
        retryOccurrence(of: identifier, plugin, at: now)
    }

    mutating func pass(_ occurrence: WallTime, of identifier: TaskIdentifier, with entry: JournalEntry? = nil) {
        occurrences[identifier] = occurrence
        keep([.recordOccurrence(identifier, at: occurrence)] + (entry.map { [.journal($0)] } ?? []))
    }

    /// Journals a scheduled occurrence whose request was refused. The occurrence is not repeated.
    mutating func missOccurrence(
        _ occurrence: WallTime,
        of identifier: TaskIdentifier,
        _ plugin: PluginIdentifier,
        because refusal: SubmissionRefusal,
        at now: Moment
    ) {
        let remedy = refusal.subReason == .identifierNotPermitted ? nearestRemedy(for: identifier, of: plugin) : ""
        let entry = JournalEntry(
            at: now.wall,
            event: .occurrenceMissed,
            plugin: plugin,
            label: identifier.text,
            blame: .nobody,
            message: "the request of a scheduled occurrence was refused and is not repeated: \(refusal)\(remedy)"
        )
        pass(occurrence, of: identifier, with: entry)
    }

    /// Maximum number of identifiers that are compared with a mistyped one, so that the comparison takes less than a
    /// millisecond of the decision loop.
    private static let mostNames = 100

    /// The nearest identifier that the manifest of the plugin permits, as a remedy; empty without a similar one.
    private func nearestRemedy(for identifier: TaskIdentifier, of plugin: PluginIdentifier) -> String {
        let permitted = plugins[plugin].entry?.permitted.prefix(Self.mostNames) ?? []
        let names = permitted.compactMap { if case .exact(let name) = $0 { name.text } else { nil } }
        guard let nearest = NearestWord.to(identifier.text, among: names) else { return "" }
        return "; \(NearestWord.remedy(nearest: nearest, meaning: "task"))"
    }

    func isPendingOrRunning(_ identifier: TaskIdentifier, of plugin: PluginIdentifier) -> Bool {
        plugins[plugin].requests.expectedNumber(identifier) != nil
            || launches.numbers(running: identifier).contains { launches.find($0)?.plugin == plugin }
    }
}
