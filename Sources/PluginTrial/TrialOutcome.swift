// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginLaunch
package import TaskModel

extension TrialLog {
    /// The end of the launch; nil when the log has none.
    package var end: RunnerEnd? { first { if case .ended(let end) = $0 { end } else { nil } } }

    /// Whether the runner sent its last message, so that the launch ended in order.
    package var hasStopped: Bool { contains { $0 == .stopped } }

    /// Whether the launch was killed at its kill time.
    package var isOverdue: Bool { contains { $0 == .overdue } }

    /// The signal that ended the process, unless the host killed it; nil for another end.
    package var crashSignal: Int32? {
        guard let end, !end.wasKilled else { return nil }
        if let words = end.lastWords { return words.signal }
        if case .signaled(let signal) = end.termination { return signal }
        return nil
    }

    /// The exit status of a process that ended itself before its end in order; nil for another end.
    package var earlyExit: Int32? {
        guard let end, !end.wasKilled, !hasStopped, end.lastWords == nil, case .exited(let code) = end.termination
        else { return nil }
        return code
    }

    /// Status of entry; nil when entry did not return.
    package var entryStatus: Int32? {
        first { if case .entered(let status, _, _, _) = $0 { status } else { nil } }
    }

    /// The failed status of entry as `BGT_INVALID (5)`; nil when entry succeeded or did not return.
    package var entryFailure: String? {
        entryStatus.flatMap { $0 == 0 ? nil : "\(ABIVocabulary.status.name(of: Int64($0))) (\($0))" }
    }

    /// Whether a task of the script reached the plugin: entry succeeded, and the plugin has a handler for the
    /// identifier or, for an event, a receiver.
    package func isDelivered(_ identifier: String, isEvent: Bool) -> Bool {
        guard case .entered(0, let registered, let offersReceive, _)? = entry else { return false }
        return isEvent ? offersReceive : TaskIdentifier(identifier).map(registered.permits) ?? false
    }

    /// The identifiers and patterns for which entry registered handlers; nil when entry did not return.
    package var registered: [PermittedIdentifier]? {
        first { if case .entered(_, let registered, _, _) = $0 { registered } else { nil } }
    }

    /// The completion of a task; nil when the plugin did not complete it.
    package func completion(of task: Int) -> (outcome: CompletionOutcome, message: String?)? {
        first { if case .completed(task, let outcome, let message) = $0 { (outcome, message) } else { nil } }
    }

    /// The reason of the expiration of a task; nil when the task did not expire.
    package func expiration(of task: Int) -> ExpirationReason? {
        first { if case .expired(let tasks, let reason) = $0, tasks.contains(task) { reason } else { nil } }
    }

    /// The outcome of a task, as a host would record it for a launch with this task alone.
    ///
    /// - Parameter event: type of an event; nil for all other kinds.
    package func outcome(of task: Int, identifier: String, event: EventType?) -> TaskOutcome {
        if let completion = completion(of: task) { return completion.outcome.taskOutcome }
        if contains({ if case .loadFailed = $0 { true } else { false } }) { return .loadFailed }
        if entryStatus != 0 { return .entryFailed }
        // A plugin without a receiver has nothing to do at its start (C11).
        if !isDelivered(identifier, isEvent: event != nil) { return event == .started ? .succeeded : .notRegistered }
        if crashSignal != nil { return .crashed }
        if earlyExit != nil { return .exited }
        if case .outOfMemory? = end?.termination { return .killedForMemory }
        let hasHandler = all { event -> Bool? in
            if case .expirationHandler(task, let isSet) = event { isSet } else { nil }
        }.last
        return hasHandler == true || expiration(of: task) == nil ? .overran : .expired
    }

    /// The time limit of the trial; nil when the launch ended within it.
    package var passedLimit: Duration? { first { if case .limitPassed(let limit) = $0 { limit } else { nil } } }

    /// The event that entry returned; nil when entry did not return.
    package var entry: TrialEvent? {
        first { event -> TrialEvent? in if case .entered = event { event } else { nil } }
    }

    package func contains(_ fits: (TrialEvent) -> Bool) -> Bool { entries.contains { fits($0.event) } }
}

extension ExpirationReason {
    package static let all: [ExpirationReason] = (1...10).compactMap { ExpirationReason(rawValue: $0) }

    /// The name of the reason in the options of commands.
    package var word: String {
        switch self {
        case .budget: "budget"
        case .externalPowerLost: "external-power-lost"
        case .networkLost: "network-lost"
        case .notIdle: "not-idle"
        case .stoppedByUser: "stopped-by-user"
        case .noProgress: "no-progress"
        case .memoryPressure: "memory-pressure"
        case .hostShutdown: "host-shutdown"
        case .containerLocked: "container-locked"
        case .leaseLost: "lease-lost"
        }
    }
}
