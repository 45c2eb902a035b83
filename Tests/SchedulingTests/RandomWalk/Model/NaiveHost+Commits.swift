// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Commits of the host and their effects once they are on disk.
extension NaiveHost {
    /// Judges every change when the scheduler requests its commit, because the decision about it has been made by then.
    func judge(_ changes: [LedgerChange], of ticket: Ticket, after event: SchedulerEvent) {
        asking = ticket
        for change in changes {
            switch change {
            case .storeRequest(let request, _):
                accepted(request)
                judgeOccurrence(of: request, in: changes)
            case .startLaunch(let plan): started(plan)
            case .startTask(let number, let task): joined(task, number)
            case .endTask(let number, let submission): ended(submission, in: number, with: changes)
            case .requeueTask(let number, let work, _): returned(work, from: number, with: changes)
            case .storeCursor(let cursor): stored(cursor)
            case .dropCursor(let plugin, let identifier, nil): cleared(plugin, identifier)
            case .journal(let entry): judge(entry)
            case .endLaunch(let number, let end): endedLaunch(number, end)
            case .forbidRequeue(let number, let submission): stoppedInEntry(submission, number)
            default: break
            }
        }
    }

    /// Marks a running task as one to stop, because a user stopped it while entry was running. Reports a defect when no
    /// user requested the stop.
    private func stoppedInEntry(_ submission: SubmissionNumber, _ number: LaunchNumber) {
        let tasks = host.scheduler.launches.find(number)?.tasks ?? []
        guard launches[number]?.entry == .running,
            tasks.contains(where: { $0.work.number == submission && $0.isToStop }),
            let index = launches[number]?.tasks.firstIndex(where: { $0.work.number == submission })
        else { return }
        if let identifier = launches[number]?.tasks[index].work.identifier, !stopped.contains(identifier),
            !stoppedLaunches.contains(number)
        {
            complain("\(identifier) is stopped, and no user asked for it")
        }
        launches[number]?.tasks[index].isToStop = true
    }

    /// Complains about a request of a schedule that is stored without its scheduled occurrence.
    private func judgeOccurrence(of request: PendingRequest, in changes: [LedgerChange]) {
        guard request.submitter == .schedule else { return }
        let hasOccurrence = changes.contains { change in
            if case .recordOccurrence(request.request.identifier, _) = change { true } else { false }
        }
        if !hasOccurrence { complain("\(request.request.identifier) is submitted apart from its occurrence") }
    }

    func committed(_ ticket: Ticket) {
        guard let changes = underWay.removeValue(forKey: ticket) else { return }
        for change in changes {
            switch change {
            case .startLaunch(let plan): begin(plan.number)
            case .forbidRequeue(let number, let submission): keepAway(submission, number)
            case .startTask(let number, let task):
                launches[number]?.tasks.append(SeenTask(id: task.id, work: task.work))
            case .moveLaunch(let number, let lane): leaveLane(number, to: lane)
            case .endLaunch(let number, _): forget(number)
            case .storeRequest(let request, _):
                succeed(by: request)
                // A push inherits the deferral of the push that it replaces.
                if let since = request.deferredSince { heldPerhaps[request.number] = min(since, now.wall) }
                // A push inherits the retry delay as well.
                noteVoidCooldowns([.request(request)])
            // The request is requeued as launched, even if the start of its deferral was never recorded separately.
            case .requeueTask(_, let work, _):
                noteVoidCooldowns([work])
                if case .request(let request) = work, let since = request.deferredSince {
                    heldPerhaps[request.number] = min(since, now.wall)
                }
            default: break
            }
        }
        concludeWhatIsDecided()
    }

    /// Marks older tasks of the identifier as superseded by the newer request (C3).
    private func succeed(by request: PendingRequest) {
        for (number, launch) in launches where launch.plugin == request.plugin {
            for (index, task) in launch.tasks.enumerated()
            where task.work.identifier == request.request.identifier && task.work.number < request.number {
                launches[number]?.tasks[index].isSucceeded = true
            }
        }
    }

    func failed(_ ticket: Ticket) {
        guard let changes = underWay.removeValue(forKey: ticket) else { return }
        for change in changes {
            switch change {
            case .startLaunch(let plan):
                launches[plan.number] = nil
                capacityChangedHands = true
                noteTrouble(of: plan.plugin.identifier)
            case .startTask(_, let task): noteTrouble(of: task.work.plugin)
            default: break
            }
        }
        concludeWhatIsDecided()
    }

    /// Whether a commit in flight concerns the request.
    func isUnderWay(_ request: PendingRequest) -> Bool {
        let identifier = request.request.identifier
        return underWay.values.joined().contains { change in
            switch change {
            case .storeRequest(let other, _): other.plugin == request.plugin && other.request.identifier == identifier
            case .removeRequest(let number): number == request.number
            case .startLaunch(let plan): plan.tasks.contains { $0.work.number == request.number }
            case .startTask(_, let task): task.work.number == request.number
            case .requeueTask(_, let work, _): work.plugin == request.plugin && work.identifier == identifier
            case .forbidRequeue(let launch, _):
                launches[launch]?.tasks.contains { $0.work.identifier == identifier } ?? true
            default: false
            }
        }
    }

    /// Notes a launch of the plugin that failed because of the host. The delay until the next launch doubles with each
    /// consecutive failure, up to five minutes.
    func noteTrouble(of plugin: PluginIdentifier) {
        failures[plugin, default: 0] += 1
        let doublings = min(failures[plugin, default: 1] - 1, 20)
        trouble[plugin] = now.monotonic + min(configuration.hostRetryDelay * (1 << doublings), .seconds(300))
    }

    func noteSuccess(of plugin: PluginIdentifier) {
        (failures[plugin], trouble[plugin]) = (nil, nil)
    }

    func noteTrouble(ofPrepared number: LaunchNumber) {
        guard let plugin = host.scheduler.launches.find(number)?.plugin else { return }
        noteTrouble(of: plugin)
    }

    private func begin(_ number: LaunchNumber) {
        for task in launches[number]?.tasks ?? [] { userRequested.remove(task.work.number) }
    }

    private func forget(_ number: LaunchNumber) {
        for task in launches[number]?.tasks ?? [] where task.outcomes != 1 {
            complain(
                "launch \(number) ended with \(task.outcomes) outcomes of \(task.work.label) (\(task.work.number))"
            )
        }
        launches[number] = nil
        capacityChangedHands = true
    }

    private func keepAway(_ submission: SubmissionNumber, _ number: LaunchNumber) {
        guard let index = launches[number]?.tasks.firstIndex(where: { $0.work.number == submission }) else { return }
        launches[number]?.tasks[index].wasCancelled = true
    }

    /// Moves a launch to the lane if the host still acts on the messages of its runner (`isHeard`). Otherwise only the
    /// ledger has the new lane.
    private func leaveLane(_ number: LaunchNumber, to lane: Lane) {
        guard let launch = launches[number], launch.isHeard else { return }
        launches[number]?.lane = lane
        capacityChangedHands = true
        if launch.lane == .background { rest(launch.plugin) }
    }

    // MARK: Outcomes

    /// Counts the journaled outcomes of a delivered task. The end of its launch requires exactly one.
    func written(_ entry: JournalEntry) {
        guard case .task = entry.event, let number = entry.launch,
            let index = launches[number]?.tasks.firstIndex(where: { $0.work.number == entry.submission })
        else { return }
        launches[number]?.tasks[index].outcomes += 1
    }

    private func judge(_ entry: JournalEntry) {
        guard case .task(let outcome) = entry.event, let number = entry.launch, let submission = entry.submission,
            let task = launches[number]?.tasks.first(where: { $0.work.number == submission })
        else { return }
        switch task.fate {
        case .over(let right), .back(let right, _):
            if right != outcome { complain("\(task.work.label) (\(submission)) ends as \(outcome), not as \(right)") }
        case nil: complain("\(task.work.label) (\(submission)) ends as \(outcome) for no reason")
        }
    }

    private func ended(_ submission: SubmissionNumber, in number: LaunchNumber, with changes: [LedgerChange]) {
        guard let task = launches[number]?.tasks.first(where: { $0.work.number == submission }) else {
            return complain("launch \(number) ends a task \(submission) that it does not have")
        }
        if case .back? = task.fate, !task.isSucceeded {
            complain("\(task.work.label) (\(submission)) is ended instead of returned")
        }
        checkCursor(of: task, in: changes)
    }

    private func returned(_ work: PendingWork, from number: LaunchNumber, with changes: [LedgerChange]) {
        guard let task = launches[number]?.tasks.first(where: { $0.work.number == work.number }) else {
            return complain("launch \(number) returns a task \(work.number) that it does not have")
        }
        guard case .back(let outcome, let retry)? = task.fate else {
            return complain("\(work.label) (\(work.number)) is returned instead of ended")
        }
        if task.isSucceeded { complain("\(work.label) (\(work.number)) returns in spite of a newer one") }
        if work.retry != retry { complain("\(work.label) (\(work.number)) returns with \(work.retry), not \(retry)") }
        if work.kind != task.work.kind || work.identifier != task.work.identifier {
            complain("\(work.label) (\(work.number)) returns as something else")
        }
        if task.cursor?.hasMoved == true, work.retry.attempts != task.work.retry.attempts {
            complain("\(work.label) (\(work.number)) is charged an attempt, although its cursor moved")
        }
        if outcome == .continues { continuing.insert(work.number) }
        checkCursor(of: task, in: changes)
    }

    private func endedLaunch(_ number: LaunchNumber, _ end: LaunchEnd) {
        guard let launch = launches[number] else { return complain("launch \(number) ends and never began") }
        if !launch.isConcluded { complain("launch \(number) ends before its process") }
        if (end.outcome == .overran) != launch.isOverrun { complain("launch \(number) ends as \(end.outcome)") }
    }
}
