// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Dispatch of events to the parts of the core.
extension Scheduler {
    mutating func dispatch(_ event: SchedulerEvent, at now: Moment) {
        if case .byUser(let user, let event) = event { return dispatch(event, by: user, at: now) }
        if park(event) { return }
        switch event {
        case .submitted(let submission, let reply): submit(submission, for: .caller(reply), at: now)
        case .triggered(let trigger, let reply): self.trigger(trigger, reply: reply, at: now)
        case .cancelRequested(let identifier, let plugin, let launch, let reply):
            cancel(identifier, of: plugin, from: launch, reply: reply, at: now)
        case .cancelAllRequested(let plugin, let launch, let reply):
            cancelAll(of: plugin, from: launch, reply: reply, at: now)
        case .launchSimulated(let identifiers, let reply): simulateLaunch(of: identifiers, reply: reply, at: now)
        case .expirationSimulated(let identifier, let reply): simulateExpiration(of: identifier, reply: reply, at: now)
        case .taskStopRequested(let identifier, let reply): stopTask(identifier, reply: reply, at: now)
        case .purgeRequested(let plugin, let reply): purge(plugin, reply: reply, at: now)
        case .committed(let ticket): settle(ticket, at: now)
        case .commitFailed(let ticket, let message): rollBack(ticket, because: message, at: now)
        case .loaded(let work): loaded(work, at: now)
        case .notLoaded(let plugin, _): notLoaded(plugin, at: now)
        case .catalogued(let change): catalogue(change, at: now)
        case .conditionsChanged(let new): change(to: new, at: now)
        case .timeZonesChanged(let table): changeTimeZones(to: table, at: now)
        case .resumed: surge(\.resume, at: now)
        case .timerFired: lookAtAgenda(at: now)
        case .stopRequested: stop(at: now)
        default: dispatchLaunchEvent(event, at: now)
        }
    }

    /// Dispatches an event whose journal entries contain the user.
    private mutating func dispatch(_ event: SchedulerEvent, by user: CallingUser, at now: Moment) {
        callingUser = user
        defer { callingUser = nil }
        dispatch(event, at: now)
    }

    private mutating func dispatchLaunchEvent(_ event: SchedulerEvent, at now: Moment) {
        switch event {
        case .runnerReady(let launch, let process): start(launch, in: process, at: now)
        case .runnerUnavailable(let launch, let message):
            // A later failure is ignored: the commit of the launch is in flight and alone decides whether the launch
            // exists.
            if launches.find(launch)?.isPreparing == true { giveUp(launch, because: message, at: now) }
        case .planNotSent(let launch, let message): abandonPlan(of: launch, because: message)
        case .killedAtDeadline(let launch): killedByLaunchThread(launch, at: now)
        case .runnerEnded(let launch, let termination, let lastWords):
            conclude(launch, ProcessEnd(termination: termination, lastWords: lastWords), at: now)
        default: receive(event, at: now)
        }
    }

    // MARK: Events that arrive before their data is loaded

    /// Parks an event that has to wait for the first catalogue or for the pending work of its plugin.
    ///
    /// - Returns: false when the event can be handled now.
    private mutating func park(_ event: SchedulerEvent, as parkedBefore: ParkedEvent? = nil) -> Bool {
        guard !hasCatalogue || loading.isPartial else { return false }
        if isStopping { return refuseUnloaded(event) }
        let parked = parkedBefore ?? parked(event)
        switch event {
        case .submitted, .triggered, .cancelRequested, .cancelAllRequested, .launchSimulated, .taskStopRequested,
            .purgeRequested:
            if !hasCatalogue {
                loading.parkForAll(parked)
                return true
            }
        default: return false
        }
        switch concerned(by: event) {
        case .known(let plugins):
            guard let missing = plugins.first(where: loading.isMissing) else { return false }
            loading.park(parked, until: missing)
        case .anyPlugin:
            loading.parkForAll(parked)
        }
        return true
    }

    /// Refuses cancellations and stops of tasks of plugins that are not loaded, because a stopping host loads no more
    /// plugins; false for other events.
    private mutating func refuseUnloaded(_ event: SchedulerEvent) -> Bool {
        let reply: ReplyToken
        switch event {
        case .cancelRequested(_, _, _, let token), .cancelAllRequested(_, _, let token),
            .taskStopRequested(_, let token):
            reply = token
        default: return false
        }
        if case .known(let plugins) = concerned(by: event), !plugins.contains(where: loading.isMissing) { return false }
        let message = "the host is stopping and has not loaded the pending work; try again after its restart"
        emit(.answer(reply, .notRecorded(message: message)))
        return true
    }

    /// The event with submitter and main plugin as of its arrival: the launch may end, or the extension may be removed,
    /// before the load.
    private func parked(_ event: SchedulerEvent) -> ParkedEvent {
        var isForeground: Bool?
        var event = event
        switch event {
        case .submitted(let submission, _): isForeground = self.isForeground(submission)
        case .cancelRequested(let identifier, let plugin?, let launch, let reply):
            event = .cancelRequested(identifier, of: mainPlugin(of: plugin), from: launch, reply: reply)
        case .cancelAllRequested(let plugin, let launch, let reply):
            event = .cancelAllRequested(of: mainPlugin(of: plugin), from: launch, reply: reply)
        default: break
        }
        return ParkedEvent(event: event, user: callingUser, isForeground: isForeground)
    }

    /// Handles a parked event; it may be parked again.
    mutating func dispatch(_ parked: ParkedEvent, at now: Moment) {
        let presentUser = callingUser
        defer { callingUser = presentUser }
        callingUser = parked.user
        guard case .submitted(let submission, let reply) = parked.event else { return dispatch(parked.event, at: now) }
        if park(parked.event, as: parked) { return }
        submit(submission, for: .caller(reply), isForeground: parked.isForeground, at: now)
    }

    private enum Concerned {
        case known([PluginIdentifier])
        /// An identifier that no installed plugin owns: it may be pending in any plugin that is not loaded.
        case anyPlugin
    }

    private func concerned(by event: SchedulerEvent) -> Concerned {
        switch event {
        case .submitted(let submission, _):
            if case .plugin(let submitter) = submission.submitter { return .known([mainPlugin(of: submitter)]) }
            return .known([owners[submission.request.identifier]].compactMap { $0 })
        case .triggered(let trigger, _): return .known([trigger.plugin])
        case .cancelRequested(let identifier, let plugin, _, _):
            return plugin.map { .known([mainPlugin(of: $0)]) } ?? concerned(byNames: [identifier])
        case .cancelAllRequested(let plugin, _, _): return .known([mainPlugin(of: plugin)])
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
