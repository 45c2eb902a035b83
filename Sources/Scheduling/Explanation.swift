// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Why a request runs, waits, or is not there at all: the answer to `task why` (C13).
package struct Explanation: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case pending(PendingRequest, reasons: [Reason])
        case running(LaunchNumber, used: Duration, total: Duration)
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
        for case .pending(_, let reasons) in states { return reasons }
        return []
    }
}

extension Scheduler {
    /// A resubmitted request may run and wait at once; both are told.
    package func explain(_ identifier: TaskIdentifier, at now: Moment) -> Explanation {
        let plugin = holder(of: identifier)
        var states: [Explanation.State] = []
        for launch in launches.values.sorted(by: { $0.number < $1.number }) {
            guard launch.phase != .preparing, let budget = launch.plan?.budget,
                launch.unfinished.contains(where: { launch.tasks[$0].work.identifier == identifier })
            else { continue }
            states.append(.running(launch.number, used: budget.used(at: now.monotonic), total: budget.total))
        }
        if let plugin, let state = plugins[plugin], let request = state.pending[identifier],
            !isStarting(request, of: state)
        {
            states.append(.pending(request, reasons: reasons(against: .request(request), of: state, at: now)))
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
                lane == .event ? state.events.map { .event($0) } : state.pending.values.map { .request($0) }
            return works.map { ($0, reasons(against: $0, of: state, standing, occupancy, at: now)) }
        }.sorted { $0.work.number < $1.work.number }
    }

    private func reasons(against work: PendingWork, of state: PluginState, at now: Moment) -> [Reason] {
        let lane = work.kind.lane
        let standing = explainedStanding(of: state, in: lane, at: now)
        return reasons(against: work, of: state, standing, occupancy(of: lane), at: now)
    }

    private func explainedStanding(of state: PluginState, in lane: Lane, at now: Moment) -> Eligibility.Standing {
        var standing = standing(of: state, in: lane)
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
    private func isStarting(_ request: PendingRequest, of state: PluginState) -> Bool {
        guard let number = state.occupants[.background], let launch = launches[number] else { return false }
        return launch.phase == .starting && launch.tasks.contains { $0.work.number == request.number }
    }
}

extension Reason {
    /// Whatever else its plugin has pending waits for this as well.
    fileprivate var concernsWholePlugin: Bool {
        switch self {
        case .pluginMissing, .pluginRefused, .pluginDisabled, .spacing, .laneBusy, .launchLimit, .runnerUnavailable,
            .hostStopping:
            true
        case .identifierNotPermitted, .modeMissing, .earliestBegin, .retryDelay, .externalPower, .network,
            .othersRunAlone, .beingRecorded:
            false
        }
    }
}
