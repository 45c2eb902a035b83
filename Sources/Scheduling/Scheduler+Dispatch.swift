// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Which part of the core an event concerns.
extension Scheduler {
    mutating func dispatch(_ event: SchedulerEvent, at now: Moment) {
        if park(event) { return }
        switch event {
        case .submitted(let submission, let reply): submit(submission, for: .caller(reply), at: now)
        case .triggered(let trigger, let reply): self.trigger(trigger, reply: reply, at: now)
        case .cancelRequested(let identifier, let plugin, let reply):
            cancel(identifier, of: plugin, reply: reply, at: now)
        case .cancelAllRequested(let plugin, let reply): cancelAll(of: plugin, reply: reply, at: now)
        case .launchSimulated(let identifiers, let reply): simulateLaunch(of: identifiers, reply: reply, at: now)
        case .expirationSimulated(let identifier, let reply): simulateExpiration(of: identifier, reply: reply, at: now)
        case .taskStopRequested(let identifier, let reply): stopTask(identifier, reply: reply, at: now)
        case .purgeRequested(let plugin, let reply): purge(plugin, reply: reply, at: now)
        case .committed(let ticket): settle(ticket, at: now)
        case .commitFailed(let ticket, let message): rollBack(ticket, because: message, at: now)
        case .loaded(let work): loaded(work, at: now)
        case .notLoaded(let plugin, _): notLoaded(plugin, at: now)
        case .catalogued(let entries, let refused, let orphans):
            catalogue(entries, refused: refused, orphans: orphans, at: now)
        case .conditionsChanged(let new): change(to: new, at: now)
        case .resumed: surge(\.resume, at: now)
        case .timerFired: lookAtAgenda(at: now)
        case .stopRequested: stop(at: now)
        default: dispatchLaunchEvent(event, at: now)
        }
    }

    private mutating func dispatchLaunchEvent(_ event: SchedulerEvent, at now: Moment) {
        switch event {
        case .runnerReady(let launch, let process): start(launch, in: process, at: now)
        case .runnerUnavailable(let launch, let message):
            // Later its commit is in flight, and alone decides whether there is a launch.
            if launches.find(launch)?.isPreparing == true { giveUp(launch, because: message, at: now) }
        case .planNotSent(let launch, let message): abandonPlan(of: launch, because: message)
        case .killedAtDeadline(let launch): killedByLaunchThread(launch, at: now)
        case .runnerEnded(let launch, let termination, let lastWords):
            conclude(launch, ProcessEnd(termination: termination, lastWords: lastWords), at: now)
        default: receive(event, at: now)
        }
    }

    // MARK: Events that come too early

    /// Whether the event waits for the first catalogue, or for the pending work of its plugin.
    private mutating func park(_ event: SchedulerEvent) -> Bool {
        guard !hasCatalogue || loading.isPartial, !isStopping else { return false }
        switch event {
        case .submitted, .triggered, .cancelRequested, .cancelAllRequested, .launchSimulated, .taskStopRequested,
            .purgeRequested:
            if !hasCatalogue {
                loading.parkForAll(event)
                return true
            }
        default: return false
        }
        switch concerned(by: event) {
        case .known(let plugins):
            guard let missing = plugins.first(where: loading.isMissing) else { return false }
            loading.park(event, until: missing)
        case .anyPlugin:
            loading.parkForAll(event)
        }
        return true
    }

    private enum Concerned {
        case known([PluginIdentifier])
        /// A name that no installed plugin owns: it may be pending in any plugin that is not loaded.
        case anyPlugin
    }

    private func concerned(by event: SchedulerEvent) -> Concerned {
        switch event {
        case .submitted(let submission, _):
            if case .plugin(let submitter) = submission.submitter { return .known([mainPlugin(of: submitter)]) }
            return .known([owners[submission.request.identifier]].compactMap { $0 })
        case .triggered(let trigger, _): return .known([trigger.plugin])
        case .cancelRequested(let identifier, let plugin, _):
            return plugin.map { .known([mainPlugin(of: $0)]) } ?? concerned(byNames: [identifier])
        case .cancelAllRequested(let plugin, _): return .known([mainPlugin(of: plugin)])
        case .launchSimulated(let identifiers, _): return concerned(byNames: identifiers)
        case .taskStopRequested(let identifier, _): return concerned(byNames: [identifier])
        case .purgeRequested(let plugin, _): return .known([plugin])
        default: return .known([])
        }
    }

    private func concerned(byNames identifiers: [TaskIdentifier]) -> Concerned {
        let known = identifiers.compactMap { owners[$0] }
        return known.count < identifiers.count ? .anyPlugin : .known(known)
    }
}
