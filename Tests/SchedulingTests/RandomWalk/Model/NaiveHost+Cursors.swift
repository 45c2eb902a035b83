// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Cursors of running tasks: their writers, and the ends of tasks that have one (C19).
extension NaiveHost {
    // MARK: Reads and writes

    func cursorsRead(_ number: LaunchNumber, _ cursors: [TaskID: Int]) {
        guard let launch = launches[number], launch.isSent, !launch.isConcluded else { return }
        for (id, standstills) in cursors {
            guard let index = launch.index(of: id), launch.tasks[index].cursor == nil else { continue }
            launches[number]?.tasks[index].cursor = SeenCursor(standstills: standstills, isFromEarlierRun: true)
        }
    }

    /// Notes a write. Writes do not count after the end of their task, nor after the start of a newer one.
    func cursorWritten(_ number: LaunchNumber, _ id: TaskID, _ write: CursorWrite) {
        guard let launch = launches[number], launch.isSent, !launch.isConcluded, let index = launch.index(of: id),
            launch.tasks[index].isUndone, let place = CursorPlace(of: launch.tasks[index].work)
        else { return }
        let task = launch.tasks[index]
        if let newest = newestStarted[place], newest > task.work.number { return }
        cursorWriters[task.work.number] = place
        launches[number]?.tasks[index].cursor = SeenCursor.after(write, to: task.cursor)
        // A moved cursor is progress.
        if write == .moved, task.stallsAt != nil {
            launches[number]?.tasks[index].stallsAt = now.monotonic + configuration.stallLimit
        }
    }

    /// Notes the tasks that the actions start. From the next event on older tasks of their identifiers write no cursor.
    func noteStarts(in actions: [SchedulerAction]) {
        let works = actions.flatMap { action -> [PendingWork] in
            switch action {
            case .sendPlan(let plan): plan.tasks.map(\.work)
            case .deliver(_, let task): [task.work]
            default: []
            }
        }
        for work in works {
            guard let place = CursorPlace(of: work) else { continue }
            newestStarted[place] = max(work.number, newestStarted[place] ?? work.number)
        }
    }

    /// Complains about a task that yields its cursor to no newer task.
    func yielded(_ id: TaskID, in number: LaunchNumber, among actions: [SchedulerAction]) {
        let work = launches[number]?.tasks.first { $0.id == id }?.work
        let isOlder = actions.contains { action in
            let newer: [PendingWork]
            switch action {
            case .sendPlan(let plan): newer = plan.tasks.map(\.work)
            case .deliver(_, let task): newer = [task.work]
            default: return false
            }
            return newer.contains { other in
                guard let work, let place = CursorPlace(of: work) else { return false }
                return CursorPlace(of: other) == place && other.number > work.number
            }
        }
        if !isOlder { complain("task \(id) yields its cursor to no newer task") }
    }

    // MARK: Changes

    /// Complains about a cursor that is stored for another plugin, identifier or task than that of its writer.
    func stored(_ change: CursorChange) {
        let place = CursorPlace(change.plugin, change.identifier)
        let task = launches[change.launch]?.tasks.first { $0.id == change.task }
        guard let task, task.work.number == change.submission, launches[change.launch]?.plugin == change.plugin,
            cursorWriters[change.submission] == place
        else { return complain("the cursor of \(change.identifier) is stored, and its task did not write it") }
        if let newest = newestStarted[place], newest > change.submission {
            complain("an older task (\(change.submission)) than \(newest) stores the cursor of \(change.identifier)")
        }
        if change.isMovement != (task.cursor?.hasMoved ?? false) {
            complain("the cursor of \(change.identifier) is stored as \(change.isMovement ? "" : "not ")moved")
        }
    }

    /// Complains about the deletion of a cursor that no user requested, or whose task runs.
    func cleared(_ plugin: PluginIdentifier, _ identifier: TaskIdentifier) {
        let place = CursorPlace(plugin, identifier)
        if !clearing.values.contains(place) { complain("the cursor of \(identifier) is deleted, and no user asked") }
        let isRunning = launches.values.contains { launch in
            launch.isSent && launch.tasks.contains { $0.isUndone && CursorPlace(of: $0.work) == place }
        }
        if isRunning { complain("the cursor of \(identifier) is deleted while its task runs") }
    }

    /// Complains if the commit of a task's end does not delete or count the cursor as the end requires.
    func checkCursor(of task: SeenTask, in changes: [LedgerChange]) {
        guard let place = CursorPlace(of: task.work) else { return }
        var (counts, isDropped): ([Int], Bool) = ([], false)
        for change in changes {
            switch change {
            case .setStandstills(place.plugin, place.identifier, let count, task.work.number): counts.append(count)
            case .dropCursor(place.plugin, place.identifier, task.work.number): isDropped = true
            default: break
            }
        }
        if counts != (task.standstills.map { [$0] } ?? []) {
            let right = task.standstills.map(String.init) ?? "no"
            complain("\(task.work.label) (\(task.work.number)) ends with \(counts) standstills, not with \(right)")
        }
        let isDone = task.fate == .over(.succeeded) || task.fate == .over(.noData)
        if isDropped != isDone {
            complain("the cursor of \(place.identifier) is \(isDropped ? "" : "not ")deleted at the end of its task")
        }
    }

    // MARK: Ends

    /// The end of a task with a cursor when its process has ended.
    ///
    /// - Parameters:
    ///   - fate: the fate of the task without a cursor.
    ///   - isCharged: whether the end of the process charges the task.
    ///   - isCrash: whether the process ended by itself after entry.
    func end(of task: SeenTask, in launch: SeenLaunch, without fate: SeenTask.Fate, isCharged: Bool, isCrash: Bool)
        -> SeenEnd
    {
        guard let cursor = task.cursor else { return SeenEnd(fate: fate) }
        let expiration = task.expiration?.reason
        if expiration == .stoppedByUser || task.isToStop && (expiration == nil || expiration == .hostShutdown) {
            return SeenEnd(fate: fate)
        }
        if let (reason, killTime) = task.expiration, reason != .hostShutdown {
            return resumed(task, cursor, isFault: launch.kill == .overran && killTime <= now.monotonic)
        }
        let isFault = isCharged && expiration == nil
        if cursor.hasMoved {
            return resumed(task, cursor, isFault: isFault, runsAlone: isCrash && expiration == nil)
        }
        if !isFault { return SeenEnd(fate: fate) }
        if fate == .over(.abandoned) { return SeenEnd(fate: fate, standstills: 0) }
        guard launch.entry == .returned, let count = cursor.standstills(isCounted: true) else {
            return SeenEnd(fate: fate)
        }
        if count >= SeenCursor.mostStandstills { return SeenEnd(fate: .over(.noProgress), standstills: 0) }
        return SeenEnd(fate: fate, standstills: task.wasCancelled ? nil : count)
    }

    /// The end of a task with a cursor whose run ended early: it continues, unless its last runs stood still.
    private func resumed(_ task: SeenTask, _ cursor: SeenCursor, isFault: Bool, runsAlone: Bool = false) -> SeenEnd {
        let reason = task.expiration?.reason
        let count = cursor.standstills(isCounted: isFault || reason == .budget || reason == .noProgress)
        if let count, count >= SeenCursor.mostStandstills {
            return SeenEnd(fate: .over(.noProgress), standstills: 0)
        }
        if task.wasCancelled { return SeenEnd(fate: .over(.interrupted)) }
        var retry = task.work.retry
        retry.wasInterrupted = reason != .budget
        if cursor.hasMoved {
            (retry.hostLosses, retry.failures) = (0, 0)
            retry.setbacks = isFault ? retry.setbacks + 1 : 0
        }
        if isFault || reason == .memoryPressure || reason == .noProgress {
            if retry.setbacks >= 2 { retry.runsAlone = true }
            let afterAttempts = configuration.retryDelay * (1 << max(0, retry.attempts - 1))
            let delay = isFault && cursor.hasMoved ? delay(afterSetbacks: retry.setbacks) : afterAttempts
            retry.notBefore = now.wall + delay
        }
        if runsAlone { retry.runsAlone = true }
        return SeenEnd(fate: .back(task.isSucceeded ? .interrupted : .continues, retry), standstills: count)
    }

    /// The end of a task that its plugin completed as failed.
    ///
    /// - Parameters:
    ///   - fate: the fate of the task without a cursor.
    ///   - isUnwanted: whether the task was cancelled or stopped, or a commit in flight does so.
    ///   - isRetried: whether the operator has terms of retries for the task.
    func endOfFailed(_ task: SeenTask, without fate: SeenTask.Fate, isUnwanted: Bool, isRetried: Bool) -> SeenEnd {
        guard let cursor = task.cursor, let reason = task.expiration?.reason else { return SeenEnd(fate: fate) }
        let count = cursor.standstills(isCounted: reason == .budget || reason == .noProgress)
        if !isUnwanted, !task.isSucceeded {
            let isOver = count.map { $0 >= SeenCursor.mostStandstills } ?? false
            if isOver || cursor.hasMoved || !isRetried { return resumed(task, cursor, isFault: false) }
        }
        return SeenEnd(fate: fate, standstills: count)
    }

    /// The fate of a task that had moved its cursor when its host was lost.
    func fateAfterLossOfMoved(_ work: PendingWork, isSucceeded: Bool) -> SeenTask.Fate {
        var retry = work.retry
        (retry.wasInterrupted, retry.hostLosses, retry.failures) = (true, 0, 0)
        retry.setbacks += 1
        if retry.setbacks >= 2 {
            retry.runsAlone = true
            retry.notBefore = now.wall + delay(afterSetbacks: retry.setbacks)
        }
        return .back(isSucceeded ? .interrupted : .continues, retry)
    }

    func delay(afterSetbacks count: Int) -> Duration {
        min(configuration.retryDelay * (1 << min(max(0, count - 2), 30)), max(configuration.retryDelay, .hours(1)))
    }
}

extension CursorPlace {
    /// The place of the work's cursor; nil for work that has none.
    init?(of work: PendingWork) {
        guard let identifier = work.cursorIdentifier else { return nil }
        self.init(work.plugin, identifier)
    }
}
