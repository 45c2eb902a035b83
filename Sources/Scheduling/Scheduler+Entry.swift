// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The end of a plugin's entry function: its handlers, and the tasks without a handler.
extension Scheduler {
    /// Kills a launch whose entry has failed.
    ///
    /// - Parameter cause: the refused call, or the flaw, that explains the status; nil when there is none.
    mutating func entryFailed(_ number: LaunchNumber, status: Int32, cause: String?) {
        guard let execution = launches.listening(number), execution.entry.isRunning else { return }
        launches.execute(number) { $0.entry = .failed(status: status, cause: cause) }
        kill(number, because: .entryFailed)
    }

    mutating func entered(
        _ number: LaunchNumber,
        registered: [PermittedIdentifier],
        offersReceive: Bool,
        at now: Moment
    ) {
        guard let execution = launches.listening(number), execution.entry.isRunning else { return }
        let plugin = execution.plan.plugin
        let stallTimes = execution.tasks.map { now.monotonic + stallLimit(of: $0) }
        launches.execute(number) { execution in
            execution.entry = .returned
            execution.registered = registered
            for index in execution.unfinished where execution.tasks[index].reportsProgress {
                execution.tasks[index].stallsAt = stallTimes[index]
            }
        }
        endRunnerRetry(of: plugin.identifier)
        refuseForgedRegistrations(registered, by: plugin, of: number, at: now)
        for index in execution.unfinished {
            let work = execution.tasks[index].work
            if work.kind == .transfer {
                if registered.contains(where: { $0.covers(.transferHandler) }) { continue }
                return launchFailedByHost(number, because: "the transfer library registered no handler")
            } else if work.kind == .push {
                if !offersReceive { endWithoutReceiver(plugin.identifier, number, index, at: now) }
            } else if let identifier = work.identifier, !registered.contains(where: { $0.covers(identifier) }) {
                endUnregistered(identifier, of: plugin.identifier, number, index, at: now)
            } else if case .event(let event) = work, !offersReceive {
                endUnreceived(event, number, index, at: now)
            }
        }
        enforceWhatEntryPutOff(number, since: execution, at: now)
        // Requests that it submitted from its entry function can now be delivered to it.
        consider(plugin.identifier, .continued, at: now)
        stopIfDone(number, at: now)
        toEnforceAnew.insert(number)
    }

    /// Expires the tasks whose expiration became due while the entry function ran. The expiration had to wait: the
    /// plugin receives no task before its entry function has returned.
    private mutating func enforceWhatEntryPutOff(_ number: LaunchNumber, since execution: Execution, at now: Moment) {
        if execution.isBudgetUsedUp { expireForBudget(number, at: now) }
        expireForConditions(number, lostSince: execution.conditionsAtClose, at: now)
        let stopped = launches.find(number)?.execution.map { execution in
            execution.unfinished.filter { execution.tasks[$0].isToStop }
        }
        expire(number, stopped ?? [], because: .stoppedByUser, at: now)
        expireTransfers(ifWithoutRights: number, at: now)
        expireLostClaims(in: number, at: now)
        relievePressure(at: now)
    }

    private mutating func endUnregistered(
        _ identifier: TaskIdentifier,
        of plugin: PluginIdentifier,
        _ number: LaunchNumber,
        _ index: Int,
        at now: Moment
    ) {
        let message =
            "\(plugin) returned from its entry without a handler for \(identifier);"
            + " register one for every permitted identifier"
        end(number, index, as: .notRegistered, blame: .plugin, message: message, at: now)
    }

    /// Ends an event of a plugin that set no receiver for events. A `started` event ends as a success (C11), any other
    /// event as a failure that is blamed on the plugin.
    private mutating func endUnreceived(_ event: PendingEvent, _ number: LaunchNumber, _ index: Int, at now: Moment) {
        switch event.type {
        case .started:
            let message =
                "\(event.plugin) sets no receiver for events, so the event \"started\" succeeded when entry returned"
                + " BGT_OK"
            end(number, index, as: .succeeded, blame: .nobody, message: message, at: now)
        case .trigger, .fetch, .push, .transfersFinished, .notification:
            endWithoutReceiver(event.plugin, number, index, at: now)
        }
    }

    /// Ends an event or a push of a plugin that set no receiver for events, as a failure that is blamed on the plugin.
    private mutating func endWithoutReceiver(
        _ plugin: PluginIdentifier,
        _ number: LaunchNumber,
        _ index: Int,
        at now: Moment
    ) {
        let message =
            "\(plugin) returned from its entry without a receiver for events; set plugin->receive"
            + " in entry, in Swift with BackgroundPlugin.receiveEvents"
        end(number, index, as: .notRegistered, blame: .plugin, message: message, at: now)
    }

    private mutating func refuseForgedRegistrations(
        _ registered: [PermittedIdentifier],
        by entry: PluginEntry,
        of number: LaunchNumber,
        at now: Moment
    ) {
        if entry.role == .extension {
            guard let first = registered.first else { return }
            let message =
                "extension \(entry.identifier) registered a handler for \(first), but only a main plugin may register"
                + " handlers"
            return noteForged(number, rule: .noHandlersOfExtensions, message: message, at: now)
        }
        for identifier in registered where !entry.permitted.permits(identifier) {
            let message =
                "\(entry.identifier) registered a handler for \(identifier), which its manifest does not permit"
            noteForged(number, rule: .registration, message: message, at: now)
        }
    }

    /// Number of registered handlers of a launch from which on another registration after entry is a violation.
    private static let mostRegistrations = 10_000

    /// Adds a handler that the plugin registered after its entry function. Only handlers of continued tasks are allowed
    /// then (statements 14 and 15). The runner has checked the same.
    mutating func registered(_ identifier: PermittedIdentifier, by number: LaunchNumber, at now: Moment) {
        guard let execution = launches.listening(number) else { return }
        let entry = execution.plan.plugin
        refuseForgedRegistrations([identifier], by: entry, of: number, at: now)
        guard entry.role == .main, entry.permitted.permits(identifier) else { return }
        guard execution.lateRegistration.allows(identifier, of: entry.permitted) else {
            let message =
                "\(entry.identifier) registered a handler for \(identifier) after its entry, but an identifier that"
                + " the manifest lists by name is registered only during entry, except for continued tasks in a launch"
                + " that a user started; \(Self.isIgnored)"
            return noteForged(number, rule: .registration, message: message, at: now)
        }
        if execution.registered.contains(identifier) { return }
        guard execution.registered.count < Self.mostRegistrations else {
            let message =
                "\(entry.identifier) registered a handler for \(identifier) after its entry, but the launch has"
                + " \(execution.registered.count) handlers already, and at most \(Self.mostRegistrations) are allowed"
                + " then; \(Self.isIgnored); register one handler for the permitted pattern"
            return note(number, rule: .registration, message: message, at: now)
        }
        launches.execute(number) { $0.registered.append(identifier) }
        consider(entry.identifier, .continued, at: now)
    }
}
