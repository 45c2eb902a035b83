// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Observations of a test. Actions and journal entries count from the last `forgetThePast`.
extension SchedulerDriver {
    struct Expiration: Hashable {
        let launch: LaunchNumber
        let tasks: [TaskIdentifier]
        let reason: ExpirationReason
    }

    func forgetThePast() {
        actions = []
        journalMark = ledger.journal.count
        wakeCount = 0
    }

    // MARK: Actions

    var plans: [LaunchPlan] { actions.compactMap { if case .sendPlan(let plan) = $0 { plan } else { nil } } }
    var lastPlan: LaunchPlan? { plans.last }
    /// The task identifiers of each background launch, in order of the launches.
    var batches: [[TaskIdentifier]] { plans.filter { $0.lane == .background }.map(\.identifiers) }
    var finished: [LaunchNumber] { actions.compactMap { if case .stop(let launch) = $0 { launch } else { nil } } }
    var killed: [LaunchNumber] { actions.compactMap { if case .kill(let launch) = $0 { launch } else { nil } } }
    var dismissed: [LaunchNumber] {
        actions.compactMap { if case .dismissRunner(let launch) = $0 { launch } else { nil } }
    }
    /// The main plugin whose container each requested runner needs, in order.
    var containersNeeded: [PluginIdentifier] {
        actions.compactMap { if case .takeRunner(_, let needed) = $0 { needed.container } else { nil } }
    }
    var expirations: [Expiration] {
        actions.compactMap { action in
            guard case .expire(let launch, let ids, let reason) = action else { return nil }
            let tasks = tasks(of: launch).filter { ids.contains($0.id) }
            return Expiration(launch: launch, tasks: tasks.compactMap(\.work.identifier), reason: reason)
        }
    }
    /// The identifiers of tasks that were delivered to running launches.
    var deliveries: [TaskIdentifier] {
        actions.compactMap { if case .deliver(_, let task) = $0 { task.work.identifier } else { nil } }
    }
    var hasStopped: Bool { actions.contains(.stopped) }

    /// All tasks of a launch: its batch and the tasks that joined it.
    func tasks(of launch: LaunchNumber) -> [PlannedTask] {
        (plansByNumber[launch]?.tasks ?? []) + (arrivals[launch] ?? [])
    }

    // MARK: The journal

    var wholeJournal: ArraySlice<JournalEntry> { ledger.journal[journalMark...] }

    /// The journal without the entries of accepted requests and started launches.
    var journal: [JournalEntry] { wholeJournal.filter { $0.event != .submitted && $0.event != .launched } }

    func entries(_ event: JournalEntry.Event) -> [JournalEntry] { wholeJournal.filter { $0.event == event } }

    /// The outcomes of all tasks with this identifier, in order.
    func outcomes(of identifier: TaskIdentifier) -> [TaskOutcome] {
        journal.compactMap { entry in
            guard case .task(let outcome) = entry.event, entry.label == identifier.text else { return nil }
            return outcome
        }
    }

    /// The last journal entry of a task with this identifier; nil without one.
    func lastEntry(of identifier: TaskIdentifier) -> JournalEntry? { journal.last { $0.label == identifier.text } }

    var launchOutcomes: [LaunchOutcome] {
        journal.compactMap { if case .launch(let outcome) = $0.event { outcome } else { nil } }
    }

    var lastLaunchEntry: JournalEntry? { journal.last { if case .launch = $0.event { true } else { false } } }

    // MARK: Present state

    var pending: [TaskIdentifier] { scheduler.pendingRequests.map(\.request.identifier) }
    var pendingEvents: [EventType] { scheduler.pendingEvents.map(\.type) }

    func request(_ identifier: TaskIdentifier) -> PendingRequest? {
        scheduler.pendingRequests.first { $0.request.identifier == identifier }
    }

    /// Start of the deferral of a pending request, its own or that of its class (C12); nil when it is not deferred.
    func deferralStart(of identifier: TaskIdentifier) -> WallTime? {
        request(identifier).flatMap { scheduler.presented($0).deferredSince }
    }

    func explain(_ identifier: TaskIdentifier) -> Explanation { scheduler.explain(identifier, at: clock.now) }
    func reasons(_ identifier: TaskIdentifier) -> [Reason] { explain(identifier).reasons }

    var running: [TaskIdentifier] { scheduler.runningLaunches.flatMap(\.unfinished).compactMap(\.work.identifier) }
}

extension PluginTable {
    /// A copy of the state of the plugin; nil for an unknown plugin.
    func find(_ plugin: PluginIdentifier) -> PluginState? { contains(plugin) ? self[plugin] : nil }
}

extension PluginState {
    var hasRequestsDue: Bool { requests.groups.count(in: .background) + requests.groups.count(in: .continued) > 0 }
}
