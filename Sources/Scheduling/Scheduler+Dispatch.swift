// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Dispatch of events to the parts of the core. The switch has no default: a new event does not compile without a part.
extension Scheduler {
    mutating func dispatch(_ event: SchedulerEvent, at now: Moment) {
        if park(event) { return }
        switch event {
        // Calls.
        case .submitted(let submission, let reply): submit(submission, for: .caller(reply), at: now)
        case .triggered(let trigger, let reply): self.trigger(trigger, reply: reply, at: now)
        case .pushed(let push, let reply): self.push(push, reply: reply, at: now)
        case .transferBegun(let transfer, let reply): begin(transfer, for: .caller(reply), at: now)
        case .transferPauseRequested(let identifier, let isPaused, let reply):
            setPaused(isPaused, identifier, reply: reply, at: now)
        case .alerted(let alert, let reply): self.alert(alert, reply: reply, at: now)
        case .cancelRequested(let identifier, let plugin, let launch, let claim, let reply):
            cancel(identifier, of: plugin, from: launch, claim: claim, reply: reply, at: now)
        case .cancelAllRequested(let plugin, let launch, let reply):
            cancelAll(of: plugin, from: launch, reply: reply, at: now)
        case .runRequested(let identifiers, let reply): requestRun(of: identifiers, reply: reply, at: now)
        case .expirationSimulated(let identifier, let reply): simulateExpiration(of: identifier, reply: reply, at: now)
        case .conditionsSimulated(let new): noteSimulated(new, at: now)
        case .configured(let new, let keys): configure(new, changing: keys, at: now)
        case .taskStopRequested(let identifier, let reply): stopTask(identifier, reply: reply, at: now)
        case .launchStopRequested(let launch, let reply): stopLaunch(launch, reply: reply, at: now)
        case .cursorClearRequested(let identifier, let plugin, let reply):
            clearCursor(of: identifier, plugin, reply: reply, at: now)
        case .pushTokenChangeRequested(let plugin, let change, let launch, let reply):
            changePushToken(of: plugin, change, from: launch, reply: reply, at: now)
        case .purgeRequested(let plugin, let reply): purge(plugin, reply: reply, at: now)
        case .pauseRequested(let plugin, let end, let reply): pause(plugin, until: end, reply: reply, at: now)
        case .resumeRequested(let plugin, let reply): resume(plugin, reply: reply, at: now)
        case .leaseRenewed(let renewal, let reply): renew(renewal, reply: reply, at: now)
        case .leaseDeletionRequested(let name, let owner, let reply): deleteLease(name, owner: owner, reply: reply)
        case .byUser(let user, let event): dispatch(event, by: user, at: now)

        // Results from the ledger.
        case .committed(let ticket): settle(ticket, at: now)
        case .commitFailed(let ticket, let message): rollBack(ticket, because: message, at: now)
        case .loaded(let work): loaded(work, at: now)
        case .notLoaded(let plugin, _): notLoaded(plugin, at: now)

        // Changes of the environment.
        case .catalogued(let change): catalogue(change, at: now)
        case .conditionsChanged(let new): change(to: new, at: now)
        case .timeZonesChanged(let table): changeTimeZones(to: table, at: now)
        case .diskSampled(let sample): sampled(sample, at: now)
        case .resumed: noteStartupWave(\.resume, at: now)
        case .timerFired: fireAlarms(at: now)
        case .stopRequested: stop(at: now)
        case .leftoverKilled(let pid, let program, let origin):
            noteKilledLeftover(pid, running: program, of: origin, at: now)

        // Events of a launch.
        case .runnerReady(let launch, let process): runnerReady(launch, in: process, at: now)
        case .runnerUnavailable(let launch, let message): runnerUnavailable(launch, because: message, at: now)
        case .launchUnlimited(let launch, let cause): noteMissingLimits(of: launch, because: cause, at: now)
        case .launchFailedByHost(let launch, let message): launchFailedByHost(launch, because: message)
        case .killTimePassed(let launch): killTimePassed(launch, at: now)
        case .runnerEnded(let launch, let termination, let lastWords):
            conclude(launch, ProcessEnd(termination: termination, lastWords: lastWords), at: now)

        // Messages of a launch's runner.
        case .entered(let launch, let status, let registered, let offersReceive, let cause):
            if status != 0 { return entryFailed(launch, status: status, cause: cause) }
            entered(launch, registered: registered, offersReceive: offersReceive, at: now)
        case .loadFailed(let launch, let message): loadFailed(launch, because: message)
        case .registered(let launch, let identifier): registered(identifier, by: launch, at: now)
        case .progressed(let launch, let id, let progress): progressed(launch, id, progress, at: now)
        case .fetchIntervalSet(let launch, let interval): setFetchInterval(of: launch, to: interval, at: now)
        case .completed(let launch, let id, let outcome, let message):
            completed(launch, id, outcome, saying: message, at: now)
        case .transferEnded(let launch, let id, let end): transferEnded(launch, id, end)
        case .transferTaken(let launch, let number): transferTaken(number, in: launch)
        case .cursorsRead(let launch, let cursors): cursorsRead(cursors, of: launch)
        case .cursorWritten(let launch, let id, let write, let reply):
            cursorWritten(launch, id, write, reply: reply, at: now)
        case .expirationHandlerChanged(let launch, let id, let isSet): setExpirationHandler(of: launch, id, isSet)
        case .runnerExpired(let launch, let ids, let reason): runnerExpired(launch, ids, reason, at: now)
        case .assertionBegan(let launch, let id, let name): assertionBegan(launch, id, named: name, at: now)
        case .assertionEnded(let launch, let id): assertionEnded(launch, id, at: now)
        case .notificationChanged(let launch, let id, let content): setContent(content, of: launch, id)
        case .violated(let launch, let rule, let message): note(launch, rule: rule, message: message, at: now)
        case .denied(let launch, let message): noteDenial(launch, message: message, at: now)
        }
    }

    /// Dispatches the event of a user's call. The journal entries that the event causes contain the user.
    private mutating func dispatch(_ event: SchedulerEvent, by user: CallingUser, at now: Moment) {
        callingUser = user
        defer { callingUser = nil }
        dispatch(event, at: now)
    }
}
