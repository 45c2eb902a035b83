// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Calls that arrive before the first catalogue, or before the pending work that they concern.
extension Scheduler {
    /// Parks a call that has to wait for the first catalogue, or for the pending work of the plugin that the call
    /// concerns.
    ///
    /// - Returns: true when the event was parked or refused; false when it can be handled now.
    mutating func park(_ event: SchedulerEvent, as parkedBefore: ParkedEvent? = nil) -> Bool {
        guard !hasCatalogue || loading.isPartial, let call = event.dependentCall else { return false }
        if isStopping { return refuseUnloaded(call) }
        let parked = parkedBefore ?? parked(event, call)
        if !hasCatalogue {
            loading.parkForAll(parked)
            return true
        }
        switch concerned(by: call) {
        case .known(let plugins):
            guard let missing = plugins.first(where: loading.isMissing) else { return false }
            loading.park(parked, until: missing)
        case .anyPlugin:
            loading.parkForAll(parked)
        }
        return true
    }

    /// Refuses a cancellation, a task stop or a run request when the pending work that it concerns is not loaded,
    /// because a stopping host loads no more work. Returns whether the call was refused: false when the work is loaded,
    /// and for a submission, a trigger and a purge.
    private mutating func refuseUnloaded(_ call: SchedulerEvent.DependentCall) -> Bool {
        let message = "the host is stopping and has not loaded the pending work; try again after its restart"
        let answer: SchedulerAction
        switch call {
        case .cancellation(_, _, _, _, let reply), .cancellationOfAll(_, _, let reply), .taskStop(_, let reply):
            answer = .answer(reply, .notRecorded(message: message))
        case .runRequest(_, let reply): answer = .answer(reply, .notLaunching(message: message))
        case .submission, .trigger, .push, .transfer, .alert, .purge: return false
        }
        if case .known(let plugins) = concerned(by: call), !plugins.contains(where: loading.isMissing) { return false }
        emit(answer)
        return true
    }

    /// The event to park. Two values are determined now, because they may change before the plugin is loaded: whether
    /// the submitting launch is in the foreground (the launch may end), and the main plugin of a cancellation (the
    /// extension may be removed).
    private func parked(_ event: SchedulerEvent, _ call: SchedulerEvent.DependentCall) -> ParkedEvent {
        var isForeground: Bool?
        var event = event
        switch call {
        case .submission(let submission): isForeground = self.isForeground(submission)
        case .cancellation(let identifier, let plugin?, let launch, let claim, let reply):
            event = .cancelRequested(identifier, of: mainPlugin(of: plugin), from: launch, claim: claim, reply: reply)
        case .cancellationOfAll(let plugin, let launch, let reply):
            event = .cancelAllRequested(of: mainPlugin(of: plugin), from: launch, reply: reply)
        case .cancellation(_, nil, _, _, _), .trigger, .push, .transfer, .alert, .runRequest, .taskStop, .purge: break
        }
        return ParkedEvent(event: event, user: callingUser, isForeground: isForeground)
    }

    /// Handles an event that was parked; it may be parked again.
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
        /// Possibly every plugin that is not loaded: no installed plugin owns one of the identifiers, so its task may
        /// be pending in any of them. The call waits until all are loaded.
        case anyPlugin
    }

    private func concerned(by call: SchedulerEvent.DependentCall) -> Concerned {
        switch call {
        case .submission(let submission):
            if case .plugin(let submitter) = submission.submitter { return .known([mainPlugin(of: submitter)]) }
            return .known([owners[submission.request.identifier]].compactMap { $0 })
        case .trigger(let trigger): return .known([trigger.plugin])
        case .push(let plugin): return .known([plugin])
        case .transfer(let plugin): return .known([mainPlugin(of: plugin)])
        case .alert(let plugin): return .known([plugin] + (extensions[plugin] ?? []).sorted())
        case .cancellation(let identifier, let plugin, _, _, _):
            return plugin.map { .known([mainPlugin(of: $0)]) } ?? concerned(byNames: [identifier])
        case .cancellationOfAll(let plugin, _, _): return .known([mainPlugin(of: plugin)])
        case .runRequest(let identifiers, _): return concerned(byNames: identifiers)
        case .taskStop(let identifier, _): return concerned(byNames: [identifier])
        case .purge(let plugin): return .known([plugin])
        }
    }

    private func concerned(byNames identifiers: [TaskIdentifier]) -> Concerned {
        let known = identifiers.compactMap { owners[$0] }
        return known.count < identifiers.count ? .anyPlugin : .known(known)
    }
}

extension SchedulerEvent {
    /// A call whose answer depends on pending work that may not be loaded.
    enum DependentCall {
        case submission(Submission)
        case trigger(Trigger)
        case push(to: PluginIdentifier)
        case transfer(of: PluginIdentifier)
        case alert(to: PluginIdentifier)
        case cancellation(TaskIdentifier, of: PluginIdentifier?, from: LaunchNumber?, Claim.Key?, ReplyToken)
        case cancellationOfAll(of: PluginIdentifier, from: LaunchNumber?, ReplyToken)
        case runRequest([TaskIdentifier], ReplyToken)
        case taskStop(TaskIdentifier, ReplyToken)
        case purge(PluginIdentifier)
    }

    /// The call in the event; nil for an event that never waits for pending work.
    var dependentCall: DependentCall? {
        switch self {
        case .submitted(let submission, _): .submission(submission)
        case .triggered(let trigger, _): .trigger(trigger)
        case .pushed(let push, _): .push(to: push.plugin)
        case .transferBegun(let transfer, _): .transfer(of: transfer.plugin)
        case .transferPauseRequested(let identifier, _, _):
            identifier.transfer.map { .transfer(of: $0.plugin) }
        case .alerted(let alert, _): .alert(to: alert.plugin)
        case .cancelRequested(let identifier, let plugin, let launch, let claim, let reply):
            .cancellation(identifier, of: plugin, from: launch, claim, reply)
        case .cancelAllRequested(let plugin, let launch, let reply):
            .cancellationOfAll(of: plugin, from: launch, reply)
        case .runRequested(let identifiers, let reply): .runRequest(identifiers, reply)
        case .taskStopRequested(let identifier, let reply): .taskStop(identifier, reply)
        case .purgeRequested(let plugin, _): .purge(plugin)
        // The event within `byUser` is dispatched, and parked, by itself. Only a loaded task runs, and can expire or
        // stop. Simulated conditions and the configuration are about the host. Pauses and leases do not depend on
        // pending work.
        case .byUser, .cursorClearRequested, .pushTokenChangeRequested, .expirationSimulated, .launchStopRequested,
            .conditionsSimulated, .configured, .pauseRequested, .resumeRequested, .leaseRenewed,
            .leaseDeletionRequested:
            nil
        case .committed, .commitFailed, .loaded, .notLoaded: nil
        case .catalogued, .conditionsChanged, .diskSampled, .timeZonesChanged, .resumed, .timerFired, .stopRequested,
            .leftoverKilled:
            nil
        case .runnerReady, .runnerUnavailable, .launchUnlimited, .launchFailedByHost, .killTimePassed, .runnerEnded: nil
        case .entered, .loadFailed, .registered, .progressed, .fetchIntervalSet, .completed, .cursorsRead,
            .cursorWritten, .transferEnded, .transferTaken,
            .expirationHandlerChanged, .runnerExpired, .assertionBegan, .assertionEnded, .notificationChanged,
            .violated, .denied:
            nil
        }
    }
}
