// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import RunnerWire
package import TaskModel

/// The host of one trial as a state machine: computes the messages, the kill times and the log from the script and the
/// events. The rules are those of the scheduler for one launch, without a ledger, and with the capacity for this launch
/// alone.
package struct TrialCourse: Sendable {
    /// An action of the caller.
    package enum Action: Hashable, Sendable {
        case send(HostMessage)
        /// Sets the kill time of the launch; nil for none.
        case setKillTime(MonotonicTime?)
    }

    enum Phase: Hashable {
        case entering
        case running
        case stopping
        case ended
    }

    struct Task: Hashable {
        let id: TaskID
        let kind: TaskKind
        let identifier: String
        var isOpen = true
        /// End of the grace period; nil while the task is not expiring.
        var killTime: MonotonicTime?
        /// The furthest progress of a continued task.
        var furthest = FurthestProgress()
        /// Time of the last rise of the progress. Before the first rise: time of the return of entry, or of the
        /// delivery of a task that was added later.
        var progressedAt: MonotonicTime
    }

    package let script: TrialScript
    let launch: LaunchNumber
    let plugin: PluginEntry
    /// The plugin whose manifest permits the submissions: the plugin itself, or the main plugin of an extension.
    let owner: PluginEntry
    package internal(set) var log = TrialLog()
    let start: MonotonicTime
    var phase = Phase.entering
    var enteredAt: MonotonicTime?
    var tasks: [Task]
    var assertions: Set<AssertionID> = []
    var assertionKillTime: MonotonicTime?
    var hasExpired = false
    var hasPassedLimit = false
    /// Requests that are pending, in order of submission.
    var pending: [ListedRequest] = []
    var submissions: Int64
    private var killTime: MonotonicTime?

    /// Begins a trial at the moment when its plan is sent.
    ///
    /// - Parameter owner: the plugin itself, or the main plugin of an extension.
    package init(
        _ script: TrialScript,
        of plugin: PluginEntry,
        owner: PluginEntry,
        launch: LaunchNumber,
        at start: MonotonicTime
    ) {
        self.owner = owner
        self.script = script
        self.plugin = plugin
        self.launch = launch
        self.start = start
        log.gracePeriod = script.gracePeriod
        submissions = Int64(script.tasks.count)
        tasks = script.tasks.enumerated().map { index, task in
            Task(
                id: TaskID(launch: launch, index: index),
                kind: task.kind,
                identifier: task.identifier,
                progressedAt: start
            )
        }
    }

    /// Deadline of the budget; nil without a fixed budget.
    package var deadline: MonotonicTime? { script.hasFixedBudget ? entryDeadline : nil }
    package var entryDeadline: MonotonicTime { start + script.budget }

    /// End of the grace period after the time limit of the trial.
    private var latestKillTime: MonotonicTime { start + script.limit + script.gracePeriod }

    var open: [Int] { tasks.indices.filter { tasks[$0].isOpen } }

    func note(_ event: TrialEvent, at now: MonotonicTime) -> TrialLog.Entry { TrialLog.Entry(now - start, event) }

    mutating func add(_ event: TrialEvent, at now: MonotonicTime) { log.entries.append(note(event, at: now)) }

    // MARK: Time

    /// The next time at which the course must be advanced; nil for none.
    package var nextAlarm: MonotonicTime? {
        guard phase == .running, let enteredAt else { return nil }
        var times: [MonotonicTime] = []
        if let expiration = script.expiration, !hasExpired { times.append(enteredAt + expiration.delay) }
        for task in tasks where task.isOpen && task.kind == .continued && task.killTime == nil {
            times.append(task.progressedAt + script.stallLimit)
        }
        if !assertions.isEmpty, assertionKillTime == nil, open.isEmpty { times.append(entryDeadline) }
        if !hasPassedLimit { times.append(start + script.limit) }
        return times.min()
    }

    /// Advances the course to a time: scripted expirations, stalled tasks, and the limits of assertions and of the
    /// trial.
    package mutating func advance(to now: MonotonicTime) -> [Action] {
        guard phase == .running, let enteredAt else { return [] }
        var actions: [Action] = []
        if let expiration = script.expiration, !hasExpired, enteredAt + expiration.delay <= now {
            hasExpired = true
            actions += expire(open, expiration.reason, at: now)
        }
        let stalled = open.filter {
            let task = tasks[$0]
            return task.kind == .continued && task.killTime == nil && task.progressedAt + script.stallLimit <= now
        }
        if !stalled.isEmpty { actions += expire(stalled, .noProgress, at: now) }
        if !hasPassedLimit, start + script.limit <= now {
            hasPassedLimit = true
            add(.limitPassed(script.limit), at: now)
            actions += expire(open, .stoppedByUser, at: now)
        }
        if open.isEmpty, entryDeadline <= now { actions += expireAssertions(.budget, at: now) }
        return actions + updatedKillTime(at: now)
    }

    /// Expires tasks by a message to the runner.
    private mutating func expire(_ numbers: [Int], _ reason: ExpirationReason, at now: MonotonicTime) -> [Action] {
        let expiring = numbers.filter { tasks[$0].isOpen && tasks[$0].killTime == nil }
        if expiring.isEmpty { return assertionsAfterExpiration(reason, at: now) }
        markExpired(expiring, reason, at: now)
        return [.send(.expire(expiring.map { tasks[$0].id }, reason))] + assertionsAfterExpiration(reason, at: now)
    }

    mutating func markExpired(_ numbers: [Int], _ reason: ExpirationReason, at now: MonotonicTime) {
        for number in numbers { tasks[number].killTime = now + script.gracePeriod }
        if !numbers.isEmpty { add(.expired(numbers, reason), at: now) }
    }

    /// Expires the open assertions after an expiration, if every open task is expiring.
    mutating func assertionsAfterExpiration(_ reason: ExpirationReason, at now: MonotonicTime) -> [Action] {
        open.allSatisfy { tasks[$0].killTime != nil } ? expireAssertions(reason, at: now) : []
    }

    private mutating func expireAssertions(_ reason: ExpirationReason, at now: MonotonicTime) -> [Action] {
        if assertions.isEmpty || assertionKillTime != nil { return [] }
        assertionKillTime = now + script.gracePeriod
        add(.assertionsExpired(reason), at: now)
        return [.send(.expireAssertions(reason))]
    }

    // MARK: End

    /// The action that sets the kill time; empty when the kill time stays the same.
    mutating func updatedKillTime(at now: MonotonicTime) -> [Action] {
        let time: MonotonicTime?
        switch phase {
        case .entering: time = entryDeadline + script.gracePeriod
        case .running:
            let ofTasks = open.compactMap { number -> MonotonicTime? in
                if let time = tasks[number].killTime { return time }
                return tasks[number].kind == .continued ? nil : entryDeadline + script.gracePeriod
            }
            let ofAssertions = assertions.isEmpty || !open.isEmpty ? nil : entryDeadline + script.gracePeriod
            let others = [assertions.isEmpty ? nil : assertionKillTime, ofAssertions, latestKillTime]
            time = (ofTasks + others.compactMap(\.self)).min()
        case .stopping, .ended: return []
        }
        if time == killTime { return [] }
        killTime = time
        return [.setKillTime(time)]
    }

    /// Stops the runner if neither a task nor an assertion is open. Otherwise updates the kill time.
    mutating func stopIfDone(at now: MonotonicTime) -> [Action] {
        guard phase == .running, open.isEmpty, assertions.isEmpty else { return updatedKillTime(at: now) }
        phase = .stopping
        add(.stopping, at: now)
        let time = now + (script.gracePeriod + LaunchBudget.exitTime)
        killTime = time
        return [.send(.stop), .setKillTime(time)]
    }
}
