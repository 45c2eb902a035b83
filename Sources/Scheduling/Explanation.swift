// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Why a request runs, waits, or is not there at all, or the events of a plugin: the answer to `task why` (C13).
package struct Explanation: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// With what each policy says of it, in their order.
        case pending(PendingWork, reasons: [Reason], policies: [PolicyVerdict])
        /// Without a total: no fixed budget.
        case running(LaunchNumber, used: Duration, total: Duration?)
        case unknown
    }

    package let identifier: TaskIdentifier
    package let plugin: PluginIdentifier?
    package let states: [State]
    package let now: Moment

    /// No reason ends before this; nil when nothing waits or none of it waits for time.
    package var earliest: WallTime? { reasons.compactMap { $0.end(at: now) }.max() }

    /// The one reason whose removal would let it run now; nil when more than one thing stands in the way.
    package var change: Reason? { reasons.count == 1 ? reasons.first : nil }

    package var reasons: [Reason] {
        for case .pending(_, let reasons, _) in states { return reasons }
        return []
    }
}

extension Scheduler {
    /// A resubmitted request may run and wait at once; both are told. A name that is no task's but a plugin's stands
    /// for the events of that plugin.
    package func explain(_ identifier: TaskIdentifier, at now: Moment) -> Explanation {
        let owner = holder(of: identifier)
        let request = owner.flatMap { plugins[$0]?.pending[identifier] }.map { PendingWork.request($0) }
        let asTask = explain(identifier, of: owner, [request].compactMap { $0 }, at: now) {
            $0.identifier == identifier
        }
        // A pattern may cover the name of an extension.
        guard asTask.states == [.unknown], let receiver = PluginIdentifier(identifier.text),
            let events = plugins[receiver]?.events
        else { return asTask }
        return explain(identifier, of: receiver, events.map { .event($0) }, at: now) {
            $0.kind == .event && $0.plugin == receiver
        }
    }

    private func explain(
        _ identifier: TaskIdentifier,
        of plugin: PluginIdentifier?,
        _ waiting: [PendingWork],
        at now: Moment,
        isMeant: (PendingWork) -> Bool
    ) -> Explanation {
        var states: [Explanation.State] = []
        for launch in launches.values.sorted(by: { $0.number < $1.number }) {
            guard launch.phase != .preparing, let budget = launch.plan?.budget,
                launch.unfinished.contains(where: { isMeant(launch.tasks[$0].work) })
            else { continue }
            let isBound = launch.unfinished.contains {
                !launch.tasks[$0].isContinued && isMeant(launch.tasks[$0].work)
            }
            let total = isBound ? budget.total : nil
            states.append(.running(launch.number, used: budget.used(at: now.monotonic), total: total))
        }
        if let state = plugin.flatMap({ plugins[$0] }), let first = waiting.first(where: { !isStarting($0, of: state) })
        {
            states.append(
                .pending(
                    first,
                    reasons: reasons(against: first, of: state, at: now),
                    policies: verdicts(on: first, of: state, at: now)
                )
            )
        }
        return Explanation(
            identifier: identifier,
            plugin: plugin,
            states: states.isEmpty ? [.unknown] : states,
            now: now
        )
    }

    /// The reasons as a person is shown them: with the one that has to run alone, and the launch that is being prepared.
    package func reasons(against work: PendingWork, at now: Moment) -> [Reason] {
        guard let state = plugins[work.plugin] else { return [.pluginMissing(work.plugin)] }
        return reasons(against: work, of: state, at: now)
    }

    /// All that waits, with its reasons, oldest first. One look at each plugin, however much it has pending.
    package func waiting(in lane: Lane, at now: Moment) -> [(work: PendingWork, reasons: [Reason])] {
        plugins.values.flatMap { state -> [(work: PendingWork, reasons: [Reason])] in
            let standing = explainedStanding(of: state, in: lane, at: now)
            let occupancy = occupancy(of: lane)
            let works: [PendingWork] =
                lane == .event
                ? state.events.map { .event($0) }
                : state.pending.values.filter { $0.request.kind.lane == lane }.map { .request($0) }
            return works.map { ($0, reasons(against: $0, of: state, standing, occupancy, at: now)) }
        }.sorted { $0.work.number < $1.work.number }
    }

    /// The events that wait for one plugin, with their reasons, oldest first.
    package func waitingEvents(of plugin: PluginIdentifier, at now: Moment) -> [(
        event: PendingEvent, reasons: [Reason]
    )] {
        guard let state = plugins[plugin] else { return [] }
        let standing = explainedStanding(of: state, in: .event, at: now)
        let occupancy = occupancy(of: .event)
        return state.events.map { ($0, reasons(against: .event($0), of: state, standing, occupancy, at: now)) }
    }

    /// What keeps all of a plugin's work from running now.
    package func reasons(againstAllOf plugin: PluginIdentifier) -> [Reason] {
        guard let state = plugins[plugin] else { return [.pluginMissing(plugin)] }
        return Eligibility.presenceReasons(standing(of: state, in: .event))
    }

    private func verdicts(on work: PendingWork, of state: PluginState, at now: Moment) -> [PolicyVerdict] {
        Policy.verdicts(
            on: Policy.Facts(
                work: work,
                isPersonsWish: work.identifier.map { state.wished.contains($0) } ?? false,
                standing: standing(of: state, in: work.kind.lane),
                surges: surges,
                conditions: conditions,
                configuration: configuration,
                now: now
            )
        )
    }

    private func reasons(against work: PendingWork, of state: PluginState, at now: Moment) -> [Reason] {
        let lane = work.kind.lane
        let standing = explainedStanding(of: state, in: lane, at: now)
        return reasons(against: work, of: state, standing, occupancy(of: lane), at: now)
    }

    private func explainedStanding(of state: PluginState, in lane: Lane, at now: Moment) -> Eligibility.Standing {
        var standing = standing(of: state, in: lane)
        // Continued ones have a launch each: none stands in another's way.
        if lane == .continued { return standing }
        let occupancy = occupancy(of: lane)
        standing.solo = state.candidates(in: lane).first { other in
            let others = reasons(against: other, of: state, standing, occupancy, at: now)
            // Events keep their order: the first one that waits holds back what came after it.
            let waitsForItself = !others.allSatisfy(\.concernsWholePlugin)
            return lane == .event && waitsForItself || other.retry.runsAlone && !waitsForItself
        }
        return standing
    }

    /// Already in a batch that is being committed.
    private func isStarting(_ work: PendingWork, of state: PluginState) -> Bool {
        let number = state.reserved[work.number] ?? state.occupants[work.kind.lane]
        guard let launch = number.flatMap({ launches[$0] }) else { return false }
        return launch.phase == .starting && launch.tasks.contains { $0.work.number == work.number }
    }
}

extension Reason {
    /// Whatever else its plugin has pending waits for this as well.
    fileprivate var concernsWholePlugin: Bool {
        switch self {
        case .pluginMissing, .pluginRefused, .pluginDisabled, .backgroundDenied, .spacing, .dayBudget, .laneBusy,
            .launchLimit, .runnerUnavailable, .hostStopping, .memoryPressure, .heat:
            true
        case .identifierNotPermitted, .modeMissing, .entitlementMissing, .backgroundRefreshOff, .earliestBegin,
            .retryDelay, .spread, .externalPower, .network, .containerLocked, .resourcesMissing, .useUnknown, .notIdle,
            .highLoad,
            .othersRunAlone, .beingRecorded:
            false
        }
    }
}
