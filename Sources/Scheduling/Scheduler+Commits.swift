// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The results of commits: what is on disk becomes true here, what is not is taken back.
extension Scheduler {
    mutating func settle(_ ticket: Ticket, at now: Moment) {
        guard let change = staged.removeValue(forKey: ticket) else { return }
        switch change {
        case .submission(let request, let expected, let asker, let origin):
            let replaced = plugins[request.plugin]?.pending[request.request.identifier]
            forgetRecording(request.request.identifier, of: request.plugin)
            // The commit between the two failed: the journal was told of one that never was.
            if let replaced, replaced.number != expected {
                let entry = JournalEntry.replacement(of: replaced, by: request, at: now)
                keep([.journal(entry)] + endWait(of: .request(replaced), at: now))
            }
            store(request, at: now)
            succeed(by: request)
            plugins[request.plugin]?.expected.settle(request.request.identifier, before: request.number)
            switch asker {
            case .caller(let reply):
                emit(.answer(reply, .submitted(request.number, plugin: request.plugin, replacing: replaced?.number)))
            case .schedule(let plugin, let occasion):
                settleOccasion(occasion, of: request.request.identifier, plugin, at: now)
            }
            if let origin, request.request.kind == .continued {
                plugins[request.plugin]?.origins[request.number] = origin
            }
            considerRequests(of: request.plugin, at: now)
        case .trigger(let event, let reply): triggered(event, reply: reply, at: now)
        case .arrival(let event): arrived(event, isWritten: true, at: now)
        case .cancellation(let plugin, let requests, let running, let reply):
            for task in running {
                forgetRecording(task.identifier, of: plugin)
                keptFromReturning(task, isWritten: true, at: now)
            }
            for request in requests {
                forgetRecording(request.request.identifier, of: plugin)
                leave(request.request.identifier, request.number, of: plugin)
            }
            emit(.answer(reply, .cancelled(requests.count)))
            considerRequests(of: plugin, at: now)
            miss(plugin, at: now)
        case .welcome(let plugin, let known, let event): welcomed(plugin, as: known, event, at: now)
        case .launchStart(let launch): run(launch, at: now)
        case .delivery(let launch, let task): delivered(task, to: launch, at: now)
        case .launchRecord(let launch): recordingSucceeded(launch, at: now)
        case .leave(let plugin, let known): remembered(plugin, as: known, at: now)
        case .clearance(let clearance): clear(clearance, at: now)
        // Held since it was looked at; one that began later stands by now.
        case .hold, .wait, .keeping: break
        }
    }

    mutating func takeBack(_ ticket: Ticket, because message: String, at now: Moment) {
        guard let change = staged.removeValue(forKey: ticket) else { return }
        switch change {
        case .submission(let request, _, let asker, _):
            forgetRecording(request.request.identifier, of: request.plugin)
            expectAnew(request.plugin)
            switch asker {
            case .caller(let reply): emit(.answer(reply, .refused(.notRecorded("request", because: message))))
            case .schedule(let plugin, _): takeOccasionBack(of: request.request.identifier, plugin, at: now)
            }
            considerRequests(of: request.plugin, at: now)
        case .arrival(let event): arrived(event, isWritten: false, at: now)
        case .trigger(let event, let reply): notTriggered(event, reply: reply, because: message, at: now)
        case .cancellation(let plugin, let requests, let running, let reply):
            for request in requests {
                forgetRecording(request.request.identifier, of: plugin)
            }
            for task in running {
                forgetRecording(task.identifier, of: plugin)
                keptFromReturning(task, isWritten: false, at: now)
            }
            expectAnew(plugin)
            emit(.answer(reply, .notRecorded(message: message)))
            considerRequests(of: plugin, at: now)
            miss(plugin, at: now)
        case .welcome(let plugin, _, let event): notWelcomed(plugin, event, at: now)
        case .launchStart(let launch):
            let plugin = launches[launch]?.plugin
            emit(.dismissRunner(launch))
            giveUp(launch, because: "its launch could not be recorded: \(message)", at: now)
            plugin.map { expectAnew($0) }
        case .launchRecord(let launch): recordingFailed(launch, because: message, at: now)
        case .delivery(let launch, let task): notDelivered(task, to: launch, because: message, at: now)
        case .wait(let work): waitNotRecorded(of: work, at: now)
        case .hold(let request, let since): forgetHold(of: request, since: since, at: now)
        case .keeping(let changes): agenda.add(.keep(changes), at: now.monotonic + configuration.hostRetryDelay)
        case .leave(let plugin, _): notRemembered(plugin, at: now)
        case .clearance(let clearance): notCleared(clearance, because: message, at: now)
        }
    }

    /// Writes a line that belongs to no other change, until it is written.
    mutating func note(_ entry: JournalEntry) { keep([.journal(entry)]) }

    /// What could not be written before, as it is now: something newer may have been written meanwhile.
    mutating func keepAnew(_ changes: [LedgerChange]) {
        let changes = changes.compactMap { change -> LedgerChange? in
            switch change {
            case .setFetch(let plugin, _): .setFetch(plugin, fetches[plugin])
            // A later one is on its way, and stays on its way until it is written.
            case .recordOccasion(let identifier, _) where occasionsUnderWay.contains(identifier): nil
            case .recordOccasion(let identifier, let at): .recordOccasion(identifier, at: occasions[identifier] ?? at)
            default: change
            }
        }
        if !changes.isEmpty { keep(changes) }
    }

    /// Nobody waits for it, and it is written until it is written.
    mutating func keep(_ changes: [LedgerChange]) { stage(.keeping(changes), changes) }

    /// Puts a request where its time says: among the due ones or on the agenda.
    mutating func store(_ request: PendingRequest, at now: Moment) {
        plugins[request.plugin]?.store(request)
        if request.needsUnlockedContainer { studying.insert(request.plugin) }
        schedule(request, at: now)
    }

    /// Also after a restart, or when the wall clock was set back.
    mutating func schedule(_ work: PendingWork, at now: Moment) {
        switch work {
        case .request(let request): schedule(request, at: now)
        case .event(let event): schedule(event, at: now)
        }
    }

    mutating func schedule(_ request: PendingRequest, at now: Moment) {
        let identifier = request.request.identifier
        toWatchAnew.insert(request.plugin)
        let rest = request.retry.rest(at: now, configuration)
        let time = [request.request.earliestBegin, rest].compactMap { $0 }.max()
        if let time, time > now.wall {
            plugins[request.plugin]?.becomeUndue(identifier)
            agenda.add(.work(request.plugin, request.number, identifier), at: time)
            discardStaleAlarms()
            let work = PendingWork.request(request)
            let reasons = Eligibility.timeReasons(against: work, configuration: configuration, now: now)
            noteWait(of: work, for: reasons, at: now)
        } else {
            plugins[request.plugin]?.becomeDue(identifier)
        }
    }

    /// On disk: that one is no longer pending, nor is what it once replaced.
    mutating func leave(_ identifier: TaskIdentifier, _ number: SubmissionNumber, of plugin: PluginIdentifier) {
        plugins[plugin]?.remove(identifier, number: number)
        plugins[plugin]?.expected.settle(identifier, through: number)
        toWatchAnew.insert(plugin)
    }

    mutating func store(_ event: PendingEvent, at now: Moment) {
        plugins[event.plugin]?.store(event)
        schedule(event, at: now)
    }

    private mutating func schedule(_ event: PendingEvent, at now: Moment) {
        guard let time = event.retry.rest(at: now, configuration) else { return }
        agenda.add(.work(event.plugin, event.number, nil), at: time)
    }

    mutating func forgetRecording(_ identifier: TaskIdentifier, of plugin: PluginIdentifier) {
        guard let count = plugins[plugin]?.recording[identifier] else { return }
        plugins[plugin]?.recording[identifier] = count > 1 ? count - 1 : nil
    }

    /// After a failed commit: what is on disk or on its way back, then every change that is under way, in order.
    mutating func expectAnew(_ plugin: PluginIdentifier) {
        var expected = ExpectedRequests()
        for request in plugins[plugin]?.pending.values ?? [:].values { expected.set(request) }
        for launch in launches.values where launch.plugin == plugin {
            for case .request(let request) in launch.record.returning where expected[request.request.identifier] == nil
            {
                expected.set(request)
            }
        }
        for (_, change) in staged.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            switch change {
            case .submission(let request, _, _, _) where request.plugin == plugin: expected.set(request)
            case .delivery(_, let task) where task.work.plugin == plugin:
                task.work.identifier.map { expected.remove($0, number: task.work.number) }
            case .cancellation(plugin, let requests, _, _):
                for request in requests { expected.remove(request.request.identifier, number: request.number) }
            case .launchStart(let launch) where launches[launch]?.plugin == plugin:
                for task in launches[launch]?.tasks ?? [] {
                    task.work.identifier.map { expected.remove($0, number: task.work.number) }
                }
            case .clearance(let clearance) where clearance.plugin == plugin:
                for request in clearance.requests {
                    expected.remove(request.request.identifier, number: request.number)
                }
            default: break
            }
        }
        plugins[plugin]?.expected = expected
    }

    /// Replaced and cancelled requests leave their alarms behind; they go once they may be the majority.
    private mutating func discardStaleAlarms() {
        guard agenda.wallCount >= alarmsBeforeDiscard else { return }
        let plugins = plugins
        agenda.discardWall { alarm in
            guard case .work(let plugin, let number, let identifier?) = alarm else { return false }
            return plugins[plugin]?.pending[identifier]?.number != number
        }
        alarmsBeforeDiscard = max(1_024, 2 * agenda.wallCount)
    }
}

extension Refusal {
    /// - Parameter thing: what was handed in.
    static func notRecorded(_ thing: String, because message: String) -> Refusal {
        Refusal(
            code: .unavailable,
            subReason: .notRecorded,
            message: "the \(thing) could not be recorded and was not accepted: \(message)"
        )
    }

    static func hostStopping(remedy: String) -> Refusal {
        Refusal(code: .unavailable, subReason: .hostStopping, message: "the host is stopping; \(remedy)")
    }

    static func pluginDisabled(_ plugin: PluginIdentifier) -> Refusal {
        Refusal(
            code: .unavailable,
            subReason: .pluginDisabled,
            message: "plugin \(plugin) is disabled by the operator;"
                + " set plugins.\(plugin).enabled to true in the host's configuration"
        )
    }
}
