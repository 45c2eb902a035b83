// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The state of a request, or of the events of a plugin, with all reasons: the answer to `why` (C13).
package struct Explanation: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Waiting, with the reasons against the work and the verdict of each policy, in the order of the policies.
        case pending(PendingWork, reasons: [Reason], policies: [PolicyVerdict])
        /// Running in the launch; `used` is the running time of the launch, `total` its budget. `total` is nil when the
        /// running tasks are continued tasks, which the budget does not limit.
        case running(LaunchNumber, used: Duration, total: Duration?)
        case unknown
    }

    package let identifier: TaskIdentifier
    package let plugin: PluginIdentifier?
    package let states: [State]
    /// The operator's schedule of the identifier; nil without one.
    package var schedule: ScheduleListing?
    /// The replacements of the pending request; nil when none is pending, or it replaced none.
    package var replacements: Replacements?
    /// The claim of the pending or running task; nil without one.
    package var claim: ExplainedClaim?
    /// The reasons that block all work of the plugin, because the plugin or its main plugin is missing, refused,
    /// disabled or paused. For a scheduled identifier also the reason why the manifest refuses each occurrence. Empty
    /// while work is pending.
    package var obstacles: [Reason] = []
    package let now: Moment

    /// The latest known end of a reason, before which the work is not expected to run. Nil when no reason ends at a
    /// known time.
    package var earliest: WallTime? { reasons.compactMap { $0.end(at: now) }.max() }

    /// The reason whose removal would let the work run now; nil when there are several reasons or none.
    package var change: Reason? { reasons.count == 1 ? reasons.first : nil }

    /// The reasons that block the pending work. Without pending work, `obstacles`: the reasons that block all work of
    /// the plugin. Other reasons, such as conditions and policies, are evaluated only for pending work.
    package var reasons: [Reason] {
        for case .pending(_, let reasons, _) in states { return reasons }
        return obstacles
    }

    /// Time of the next submission by the operator's schedule; nil without a schedule, or when no next time is known.
    package var nextOccurrence: WallTime? { schedule?.next }

    private var isPending: Bool { states.contains { if case .pending = $0 { true } else { false } } }

    /// This explanation if work is pending; otherwise the same with `obstacles`, the reasons that block all work of the
    /// plugin.
    fileprivate func adding(_ obstacles: @autoclosure () -> [Reason]) -> Explanation {
        if isPending { return self }
        var explanation = self
        explanation.obstacles = obstacles()
        return explanation
    }
}

extension Scheduler {
    /// Explains a task identifier. A resubmitted request may run and wait at the same time; then the explanation has
    /// both states. The identifier stands for the events of a plugin if it equals the identifier of the plugin, and no
    /// task with it is pending or running.
    package func explain(_ identifier: TaskIdentifier, at now: Moment) -> Explanation {
        let asTask = explainTask(identifier, at: now)
        // Events are explained only for an unknown task: a pattern may cover the name of an extension.
        guard asTask.states == [.unknown], let receiver = PluginIdentifier(identifier.text), plugins.contains(receiver)
        else { return asTask }
        return explainEvents(of: receiver, as: identifier, at: now)
    }

    private func explainTask(_ identifier: TaskIdentifier, at now: Moment) -> Explanation {
        // A schedule may name an identifier that no manifest permits.
        let owner = holder(of: identifier) ?? calendar.plugin(scheduling: identifier)
        var replacements: Replacements?
        var states = running(in: launches.numbers(running: identifier), at: now) { $0.identifier == identifier }
        if let owner, plugins.contains(owner), let request = waitingRequest(identifier, of: owner) {
            let work = PendingWork.request(presented(request))
            states.append(
                .pending(work, reasons: reasons(against: request, at: now), policies: verdicts(on: work, at: now))
            )
            replacements = plugins[owner].requests.replacements[identifier]
        }
        let schedule = owner.flatMap { listing(of: ScheduledTask(plugin: $0, identifier: identifier)) }
        var explanation = Explanation(
            identifier: identifier,
            plugin: owner,
            states: states.isEmpty ? [.unknown] : states,
            schedule: schedule,
            replacements: replacements,
            now: now
        ).adding(owner.map { obstacles(to: schedule, of: $0) } ?? [])
        explanation.claim = owner.flatMap { explainedClaim(of: identifier, $0) }
        return explanation
    }

    /// The pending request of the identifier, unless its launch is being committed; without one, the interrupted task
    /// that is being requeued. Nil when there is neither.
    private func waitingRequest(_ identifier: TaskIdentifier, of plugin: PluginIdentifier) -> PendingRequest? {
        if let request = plugins[plugin].requests[identifier] {
            return isStarting(request.number, identifier) ? nil : request
        }
        for case .request(let request) in workBeingRequeued(of: plugin) where request.request.identifier == identifier {
            return request
        }
        return nil
    }

    /// The reasons that block all work of the plugin; without any, the reason why its manifest refuses the schedule.
    private func obstacles(to schedule: ScheduleListing?, of plugin: PluginIdentifier) -> [Reason] {
        let general = reasons(againstAllOf: plugin)
        return general.isEmpty ? [schedule?.obstacle].compactMap(\.self) : general
    }

    private func explainEvents(
        of plugin: PluginIdentifier,
        as identifier: TaskIdentifier,
        at now: Moment
    ) -> Explanation {
        var states = running(in: launches.numbers(of: plugin), at: now) { $0.kind == .event }
        let starting = startingEvents(of: plugin)
        var requeued: [PendingEvent] = []
        for case .event(let event) in workBeingRequeued(of: plugin) { requeued.append(event) }
        let waiting = plugins[plugin].events.all.first { !starting.contains($0.number) }
        if let event = requeued.first ?? waiting {
            states.append(
                .pending(
                    .event(event),
                    reasons: reasons(waiting: event, at: now),
                    policies: verdicts(on: .event(event), at: now)
                )
            )
        }
        return Explanation(
            identifier: identifier,
            plugin: plugin,
            states: states.isEmpty ? [.unknown] : states,
            now: now
        ).adding(reasons(againstAllOf: plugin))
    }

    private func running(
        in numbers: [LaunchNumber],
        at now: Moment,
        isMeant: (PendingWork) -> Bool
    ) -> [Explanation.State] {
        numbers.compactMap { number in
            guard let execution = launches.find(number)?.execution else { return nil }
            let meant = execution.unfinished.map { execution.tasks[$0] }.filter { isMeant($0.work) }
            if meant.isEmpty { return nil }
            let budget = execution.plan.budget
            let isBound = meant.contains { !$0.isContinued }
            return .running(number, used: budget.used(at: now.monotonic), total: isBound ? budget.total : nil)
        }
    }

    /// Whether the request is in the batch of a launch that is being committed.
    private func isStarting(_ number: SubmissionNumber, _ identifier: TaskIdentifier) -> Bool {
        launches.numbers(running: identifier).compactMap(launches.find).contains { launch in
            guard case .starting(let start) = launch.phase else { return false }
            return start.tasks.contains { $0.work.number == number }
        }
    }

    private func startingEvents(of plugin: PluginIdentifier) -> Set<SubmissionNumber> {
        guard let number = plugins[plugin].occupants[.event], case .starting(let start)? = launches.find(number)?.phase
        else { return [] }
        return Set(start.tasks.map(\.work.number))
    }

    /// The reasons against pending work. They equal the reasons that the scheduler finds when it evaluates the work.
    package func reasons(against work: PendingWork, at now: Moment) -> [Reason] {
        guard plugins.contains(work.plugin) else { return [.pluginMissing(work.plugin)] }
        switch work {
        case .request(let request): return reasons(against: request, at: now)
        case .event(let event): return reasons(waiting: event, at: now)
        }
    }

    /// All waiting work of a lane with its reasons, oldest first. Evaluates all work of the lane: only for tests and
    /// replays.
    package func waiting(in lane: Lane, at now: Moment) -> [(work: PendingWork, reasons: [Reason])] {
        plugins.names().flatMap { plugin -> [(work: PendingWork, reasons: [Reason])] in
            if lane == .event {
                return waitingEvents(of: plugin, after: nil, limit: .max, at: now).map {
                    (.event($0.event), $0.reasons)
                }
            }
            return plugins[plugin].requests.requests().filter { $0.request.kind.lane == lane }
                .map { (.request($0), reasons(against: $0, at: now)) }
        }.sorted { $0.work.number < $1.work.number }
    }

    /// The waiting events of a plugin with numbers above `number`, oldest first, at most `limit`, with their reasons.
    package func waitingEvents(
        of plugin: PluginIdentifier,
        after number: SubmissionNumber? = nil,
        limit: Int = .max,
        at now: Moment
    ) -> [(event: PendingEvent, reasons: [Reason])] {
        guard plugins.contains(plugin) else { return [] }
        return plugins[plugin].events.events(after: number, limit: limit).map { ($0, reasons(waiting: $0, at: now)) }
    }

    /// The reasons against an event. Events keep their order: the first waiting event blocks a later one when a reason
    /// that does not concern the whole plugin applies to the first one, or when one of the two has to run in a launch
    /// by itself.
    private func reasons(waiting event: PendingEvent, at now: Moment) -> [Reason] {
        if !plugins[event.plugin].events.contains(event.number) {
            // The event is being requeued.
            return (reasons(against: event, at: now) + [.beingRecorded]).sorted { $0.kind < $1.kind }
        }
        guard !isSpaced(event, at: now), let first = nextEvent(of: event.plugin, at: now), first.number < event.number
        else {
            return reasons(against: event, at: now)
        }
        let waitsForItself = !reasons(against: first, at: now).allSatisfy(\.concernsWholePlugin)
        let isBlocked = waitsForItself || first.retry.runsAlone || event.retry.runsAlone
        return reasons(against: event, behind: isBlocked ? first.type.name : nil, at: now)
    }

    /// The reasons that block all work of a plugin now, because the plugin or its main plugin is missing, refused,
    /// disabled or paused.
    package func reasons(againstAllOf plugin: PluginIdentifier) -> [Reason] {
        guard plugins.contains(plugin) else {
            return [.pluginMissing(plugin)] + (pause(of: plugin).map { [.pluginPaused(plugin, $0)] } ?? [])
        }
        return Eligibility.presenceReasons(standing(of: plugin, in: .event))
    }

    private func verdicts(on work: PendingWork, at now: Moment) -> [PolicyVerdict] {
        let requests = plugins[work.plugin].requests
        return Policy.verdicts(
            on: Policy.Facts(
                work: work,
                isUserRequested: work.identifier.map(requests.isUserRequested) ?? false,
                standing: standing(of: work.plugin, in: work.kind.lane),
                startupWaves: startupWaves,
                conditions: conditions,
                configuration: configuration,
                now: now
            )
        )
    }
}
