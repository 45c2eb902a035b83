// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What a plugin's entry came to: its handlers, and what is told to whom there is none for.
extension Scheduler {
    mutating func entered(
        _ number: LaunchNumber,
        status: Int32,
        registered: [PermittedIdentifier],
        offersReceive: Bool,
        at now: Moment
    ) {
        guard isListening(to: number), let launch = launches[number], launch.entry == .running else { return }
        if status != 0 {
            launches[number]?.entry = .failed(status: status)
            return endEntry(number)
        }
        launches[number]?.entry = .returned
        refuseForgedRegistrations(registered, of: launch, at: now)
        launches[number]?.registered = registered
        for index in launch.unfinished {
            let work = launch.tasks[index].work
            if launch.tasks[index].isContinued {
                launches[number]?.tasks[index].stallsAt = now.monotonic + configuration.stallLimit
            }
            if let identifier = work.identifier, !registered.contains(where: { $0.covers(identifier) }) {
                end(
                    number,
                    index,
                    as: .notRegistered,
                    blame: .plugin,
                    at: now,
                    message: "\(launch.plugin) returned from its entry without a handler for \(identifier);"
                        + " register one for every permitted identifier"
                )
            } else if case .event(let event) = work, !offersReceive {
                endUnheard(event, number, index, at: now)
            }
        }
        if launches[number]?.isBudgetUsedUp == true { expireForBudget(number, at: now) }
        if let conditions = launch.conditionsAtClose { expireForConditions(number, lostSince: conditions, at: now) }
        expireStopped(number, at: now)
        relievePressure(at: now)
        // What it submitted during entry can be handed to it now.
        consider(launch.plugin, .continued, at: now)
        finishIfDone(number, at: now)
        setAlarm(of: number)
    }

    /// Nobody takes the event: enough for `started` (C11), and the plugin's mistake for what somebody wanted heard.
    private mutating func endUnheard(_ event: PendingEvent, _ number: LaunchNumber, _ index: Int, at now: Moment) {
        switch event.type {
        case .started:
            end(
                number,
                index,
                as: .succeeded,
                blame: .nobody,
                at: now,
                message: "\(event.plugin) takes no events; its entry returned in order"
            )
        case .trigger, .fetch:
            end(
                number,
                index,
                as: .notRegistered,
                blame: .plugin,
                at: now,
                message: "\(event.plugin) returned from its entry without a function that receives events;"
                    + " set plugin->receive there"
            )
        }
    }

    /// A plugin whose entry failed has nothing to run: its process is ended, its tasks are judged then.
    mutating func endEntry(_ number: LaunchNumber) {
        launches[number]?.killReason = .entryFailed
        emit(.kill(number))
    }

    private mutating func refuseForgedRegistrations(
        _ registered: [PermittedIdentifier],
        of launch: LaunchState,
        at now: Moment
    ) {
        guard let entry = launch.plan?.plugin else { return }
        if entry.role == .extension {
            guard let first = registered.first else { return }
            return note(
                launch.number,
                rule: "BGT-ABI-11",
                at: now,
                message: "extension \(entry.identifier) claims a handler for \(first); extensions only submit,"
                    + " register it in the main plugin"
            )
        }
        for identifier in registered where !entry.permits(identifier) {
            note(
                launch.number,
                rule: "BGT-ABI-10",
                at: now,
                message: "\(entry.identifier) claims a handler for \(identifier), which its manifest does not permit;"
                    + " add it to permitted-identifiers, or leave it out"
            )
        }
    }

    /// Handlers of one launch at the most, should they come one by one.
    private static let mostRegistrations = 10_000

    /// After entry only what is for continued tasks alone (statements 14 and 15).
    mutating func registered(_ identifier: PermittedIdentifier, by number: LaunchNumber, at now: Moment) {
        guard isListening(to: number), let launch = launches[number], let entry = launch.plan?.plugin else { return }
        refuseForgedRegistrations([identifier], of: launch, at: now)
        guard entry.role == .main, entry.permits(identifier) else { return }
        guard entry.isForContinued(identifier) else {
            return note(
                number,
                rule: "BGT-ABI-10",
                at: now,
                message: "\(entry.identifier) registered \(identifier) after its entry; all launch handlers must be"
                    + " registered there, only those of continued tasks may come later"
            )
        }
        if launch.registered.contains(identifier) { return }
        guard launch.registered.count < Self.mostRegistrations else {
            return note(
                number,
                rule: "BGT-ABI-10",
                at: now,
                message: "\(entry.identifier) registered \(identifier) beside \(launch.registered.count) others;"
                    + " register the pattern instead"
            )
        }
        launches[number]?.registered.append(identifier)
        consider(launch.plugin, .continued, at: now)
    }
}

extension PluginEntry {
    /// Whether a handler for it may be registered: a permitted name, a name that a pattern covers, or that pattern itself.
    fileprivate func permits(_ registered: PermittedIdentifier) -> Bool {
        switch registered {
        case .exact(let name): permitted.contains { $0.covers(name) }
        case .pattern: permitted.contains(registered)
        }
    }

    /// Nothing but continued tasks can come under it.
    fileprivate func isForContinued(_ registered: PermittedIdentifier) -> Bool {
        guard case .exact(let name) = registered else { return true }
        return !permitted.contains(.exact(name))
    }
}
