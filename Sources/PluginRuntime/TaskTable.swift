// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Table of the tasks of this launch. It resolves the race between completion and expiration of each task (BGT-ABI-08,
/// -09, -13), and determines which call may begin and which caller releases a handler. The table itself calls no
/// handler.
///
/// Every handler leaves the table exactly once: refused, returned as replaced, or through `complete`, `endCall` or
/// `end`.
package struct TaskTable<Handler> {
    private enum Phase {
        /// The task is in the batch, but not delivered yet, because entry still runs.
        case waiting
        case running
        case expiring(ExpirationReason, since: MonotonicTime)
        case completed(afterExpiration: Bool)
    }

    /// State of the one expiration call of a task. The call can begin only while the state is `none`.
    private enum Call {
        case none
        case inProgress(Handler)
        case made
    }

    private struct Entry {
        var phase = Phase.waiting
        /// The expiration handler whose call has not begun; nil without one.
        var handler: Handler?
        var call = Call.none
        var isDelivered = false
        /// Whether the task is a continued task, to which the launch's deadline does not apply.
        var isUnbounded = false

        var hasHandler: Bool {
            if case .none = call { handler != nil } else { true }
        }
    }

    /// Kill time of the tasks that are not continued; nil when the launch has no deadline.
    private let killTime: MonotonicTime?
    private let gracePeriod: Duration
    private var order: [TaskID]
    private var entries: [TaskID: Entry]
    private var hasEnded = false

    /// Creates the table for a batch.
    ///
    /// - Parameter continued: the continued tasks among `tasks`.
    package init(_ tasks: [TaskID], continued: Set<TaskID> = [], deadline: MonotonicTime?, gracePeriod: Duration) {
        self.gracePeriod = gracePeriod
        killTime = deadline.map { LaunchBudget.killTime(after: $0, gracePeriod: gracePeriod) }
        order = tasks
        let named = tasks.map { ($0, Entry(isUnbounded: continued.contains($0))) }
        entries = Dictionary(named, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Delivery

    /// Marks these tasks as delivered to the plugin, and removes the other tasks of the batch.
    package mutating func deliver(_ tasks: [TaskID]) {
        let delivered = Set(tasks)
        for id in order {
            guard var entry = entries.removeValue(forKey: id), delivered.contains(id) else { continue }
            if case .waiting = entry.phase { entry.phase = .running }
            entry.isDelivered = true
            entries[id] = entry
        }
    }

    /// Adds one more, continued task as delivered to the plugin.
    ///
    /// - Returns: false when the task is already in the table.
    package mutating func add(_ task: TaskID) -> Bool {
        guard entries[task] == nil else { return false }
        order.append(task)
        entries[task] = Entry(phase: .running, isDelivered: true, isUnbounded: true)
        return true
    }

    // MARK: Queries

    package var hasUnfinished: Bool { !unfinished.isEmpty }

    /// Whether a continued task is unfinished and not expiring.
    package var hasUnbounded: Bool {
        unfinished.contains { id in
            guard let entry = entries[id], entry.isUnbounded else { return false }
            if case .expiring = entry.phase { return false }
            return true
        }
    }

    package enum Presence: Hashable, Sendable {
        case open(ExpirationReason?)
        case completed
        case unknown
    }

    package func presence(of id: TaskID) -> Presence {
        guard let entry = entries[id], entry.isDelivered else { return .unknown }
        switch entry.phase {
        case .waiting, .running: return .open(nil)
        case .expiring(let reason, _): return .open(reason)
        case .completed: return .completed
        }
    }

    /// Whether the task was completed, and had expired before.
    package func wasCompletedAfterExpiration(_ id: TaskID) -> Bool {
        if case .completed(afterExpiration: true)? = entries[id]?.phase { true } else { false }
    }

    // MARK: Completion

    package enum Completion {
        case recorded(CompletionOutcome, release: Handler?)
        /// A completion came first.
        ///
        /// - Parameter afterExpiration: whether the task had expired by then. A second completion is then no violation:
        ///   the expiration handler and the interrupted work both complete the task.
        case alreadyCompleted(afterExpiration: Bool)
        case unknown
        case tooLate
    }

    package mutating func complete(_ id: TaskID, as outcome: CompletionOutcome, at now: MonotonicTime) -> Completion {
        guard let entry = entries[id], entry.isDelivered else { return .unknown }
        var hasExpired = false
        var limits = entry.isUnbounded ? [] : [killTime].compactMap(\.self)
        switch entry.phase {
        case .completed(let afterExpiration): return .alreadyCompleted(afterExpiration: afterExpiration)
        case .expiring(_, let since):
            hasExpired = true
            limits.append(LaunchBudget.killTime(after: since, gracePeriod: gracePeriod))
        case .waiting, .running: break
        }
        guard !hasEnded, limits.allSatisfy({ now < $0 }) else { return .tooLate }
        entries[id]?.phase = .completed(afterExpiration: hasExpired)
        entries[id]?.handler = nil
        return .recorded(outcome, release: entry.handler)
    }

    // MARK: Expiration

    package enum HandlerChange {
        /// The handler was set or removed.
        ///
        /// - Parameters:
        ///   - replaced: the previous handler, which the caller has to release.
        ///   - report: whether the task has a handler now, to report this to the host; nil when that did not change.
        ///   - mustCall: whether the task is expiring and the one call of its handler is still due.
        case changed(replaced: Handler?, report: Bool?, mustCall: Bool)
        case alreadyCompleted
        case unknown
    }

    package mutating func setHandler(_ handler: Handler?, of id: TaskID) -> HandlerChange {
        guard var entry = entries[id], entry.isDelivered, !hasEnded else { return .unknown }
        var mustCall = false
        switch entry.phase {
        case .completed: return .alreadyCompleted
        case .expiring: if case .none = entry.call { mustCall = handler != nil }
        case .waiting, .running: break
        }
        let hadHandler = entry.hasHandler
        let replaced = entry.handler
        entry.handler = handler
        entries[id] = entry
        let report = entry.hasHandler == hadHandler ? nil : entry.hasHandler
        return .changed(replaced: replaced, report: report, mustCall: mustCall)
    }

    package struct Expiration: Hashable, Sendable {
        package let task: TaskID
        /// Whether the task has a handler, whose call is now due.
        package let mustCall: Bool
    }

    package enum Selection: Hashable, Sendable {
        /// All unfinished tasks.
        case all
        /// The unfinished tasks to which the launch's deadline applies.
        case bounded
        case tasks([TaskID])
    }

    /// Expires the selected tasks, each once; the first reason stays.
    ///
    /// - Returns: the tasks that were not expiring before, in the order of the batch.
    package mutating func expire(
        _ selection: Selection,
        _ reason: ExpirationReason,
        at now: MonotonicTime
    ) -> [Expiration] {
        var expired: [Expiration] = []
        for id in unfinished {
            guard var entry = entries[id] else { continue }
            switch selection {
            case .all: break
            case .bounded: if entry.isUnbounded { continue }
            case .tasks(let chosen): if !chosen.contains(id) { continue }
            }
            if case .expiring = entry.phase { continue }
            entry.phase = .expiring(reason, since: now)
            entries[id] = entry
            expired.append(Expiration(task: id, mustCall: entry.handler != nil))
        }
        return expired
    }

    /// Takes the handler for the one expiration call of a task, on the thread that makes the call and just before it.
    /// Nil before the expiration, without a handler, and when completion, another call or the end of the launch came
    /// first.
    package mutating func beginCall(of id: TaskID) -> (Handler, ExpirationReason)? {
        guard !hasEnded, var entry = entries[id], case .expiring(let reason, _) = entry.phase,
            case .none = entry.call, let handler = entry.handler
        else { return nil }
        entry.handler = nil
        entry.call = .inProgress(handler)
        entries[id] = entry
        return (handler, reason)
    }

    /// Ends the expiration call of a task.
    ///
    /// - Returns: the called handler, which the caller has to release; it is never called again. Nil when no call was
    ///   in progress.
    package mutating func endCall(of id: TaskID) -> Handler? {
        guard case .inProgress(let handler) = entries[id]?.call else { return nil }
        entries[id]?.call = .made
        return handler
    }

    /// Ends the table at the end of the launch.
    ///
    /// - Returns: the handlers that no call uses, for release.
    package mutating func end() -> [Handler] {
        hasEnded = true
        var idle: [Handler] = []
        for id in order {
            guard let handler = entries[id]?.handler else { continue }
            entries[id]?.handler = nil
            idle.append(handler)
        }
        return idle
    }

    private var unfinished: [TaskID] {
        order.filter { id in
            guard let entry = entries[id] else { return false }
            if case .completed = entry.phase { return false }
            return true
        }
    }
}
