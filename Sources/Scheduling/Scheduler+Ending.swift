// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The end of a launch's process, and the record of it.
extension Scheduler {
    mutating func conclude(
        _ number: LaunchNumber,
        termination: ProcessTermination,
        lastWords: LastWords?,
        at now: Moment
    ) {
        guard let launch = launches[number] else { return }
        switch launch.phase {
        case .preparing: return giveUp(number, because: "the runner \(termination.text) before its launch", at: now)
        case .starting:
            launches[number]?.endedEarly = (termination, lastWords)
            return
        case .ended: return
        case .running, .finishing: break
        }
        if launch.undecided > 0 {
            launches[number]?.endedUndecided = (termination, lastWords)
            return
        }
        let aftermath = Aftermath(
            of: launch,
            termination: termination,
            lastWords: lastWords,
            configuration: configuration,
            now: now
        )
        for judgement in aftermath.tasks { apply(judgement, to: number, at: now) }
        let used = launch.plan?.budget.used(at: now.monotonic) ?? .zero
        recordEnd(of: launch, aftermath, used: used, at: now)
        if aftermath.blame == .host && !isStopping {
            plugins[launch.plugin]?.runnerRetry = (now.monotonic + configuration.hostRetryDelay, aftermath.message)
        }
        launches[number]?.phase = .ended
        endWork(of: launch.plugin, in: launch.lane)
        remember(launch, as: aftermath.outcome, used: used, at: now)
        if launch.lane == .background { rest(launch.plugin, at: now) }
        releaseIfRecorded(number, at: now)
    }

    /// What policies will look back on.
    private mutating func remember(_ launch: LaunchState, as outcome: LaunchOutcome, used: Duration, at now: Moment) {
        guard let plan = launch.plan else { return }
        plugins[launch.plugin]?.record.note(
            PastLaunch(
                plugin: launch.plugin,
                // In the lane that it ended in, as the ledger has it: what a person watches is not the plugin's day.
                lane: launch.lane,
                cause: plan.cause,
                outcome: outcome,
                endedAt: now.wall,
                used: used
            )
        )
    }

    mutating func rest(_ plugin: PluginIdentifier, at now: Moment) {
        guard let state = plugins[plugin] else { return }
        let spacing = standing(of: state, in: .background).spacing(configuration)
        plugins[plugin]?.restsUntil = now.monotonic + spacing
    }

    private mutating func recordEnd(of launch: LaunchState, _ aftermath: Aftermath, used: Duration, at now: Moment) {
        let end = LaunchEnd(
            outcome: aftermath.outcome,
            at: now.wall,
            used: used,
            blame: aftermath.blame,
            message: aftermath.message
        )
        let entry = JournalEntry(
            at: now.wall,
            event: .launch(aftermath.outcome),
            plugin: launch.plugin,
            launch: launch.number,
            blame: aftermath.blame,
            message:
                "\(aftermath.message); used \(used.humanReadable) of \(launch.plan?.budget.words ?? "its time")"
        )
        record([.endLaunch(launch.number, end), .journal(entry)], of: launch.number)
    }

    private mutating func apply(_ judgement: Aftermath.Judgement, to number: LaunchNumber, at now: Moment) {
        guard let task = launches[number]?.tasks[judgement.index] else { return }
        switch judgement.verdict {
        case .consumed(let outcome):
            end(number, judgement.index, as: outcome, blame: judgement.blame, at: now, message: judgement.message)
        case .abandoned:
            end(number, judgement.index, as: .abandoned, blame: judgement.blame, at: now, message: judgement.message)
        case .returned(let outcome, _) where task.wasCancelled:
            end(
                number,
                judgement.index,
                as: outcome,
                blame: judgement.blame,
                at: now,
                message: "\(judgement.message); cancelled meanwhile, it does not return"
            )
        case .returned(let outcome, _) where launches[number]?.successors[task.work.number] != nil:
            let newer = launches[number]?.successors[task.work.number] ?? task.work.number
            end(
                number,
                judgement.index,
                as: outcome,
                blame: judgement.blame,
                at: now,
                message: "\(judgement.message); submission \(newer) has taken its place"
            )
        case .returned(let outcome, let retry):
            bringBack(number, judgement, outcome, retry, at: now)
        }
    }

    private mutating func bringBack(
        _ number: LaunchNumber,
        _ judgement: Aftermath.Judgement,
        _ outcome: TaskOutcome,
        _ retry: Retry,
        at now: Moment
    ) {
        guard var work = launches[number]?.tasks[judgement.index].work else { return }
        work.retry = retry
        launches[number]?.tasks[judgement.index].outcome = outcome
        var message = judgement.message
        if let newer = work.identifier.flatMap({ plugins[work.plugin]?.expected[$0] }) {
            message += "; submission \(newer.number) has taken its place"
        } else if case .request(let request) = work {
            plugins[work.plugin]?.expected.set(request)
        }
        let entry = JournalEntry(
            work,
            .task(outcome),
            launch: number,
            at: now,
            blame: judgement.blame,
            message: message
        )
        record([.returnTask(number, work), .journal(entry)], returning: work, of: number)
    }

    /// The host's own failure charges nobody; the runner goes, and its tasks return.
    mutating func abandonPlan(of number: LaunchNumber, because message: String) {
        guard isListening(to: number) else { return }
        launches[number]?.killReason = .planNotSent(message)
        emit(.kill(number))
    }

    // MARK: The record of a launch: one commit at a time, tried until it succeeds

    mutating func record(_ changes: [LedgerChange], returning work: PendingWork? = nil, of number: LaunchNumber) {
        launches[number]?.record.waiting.append(LaunchRecord.Step(changes: changes, returning: work))
        flush(number)
    }

    mutating func flush(_ number: LaunchNumber) {
        guard let record = launches[number]?.record, record.underWay == nil, record.retryAt == nil,
            !record.waiting.isEmpty
        else { return }
        launches[number]?.record.waiting = []
        let ticket = stage(.launchRecord(number), record.waiting.flatMap(\.changes))
        launches[number]?.record.underWay = (ticket, record.waiting)
    }

    mutating func recordingSucceeded(_ number: LaunchNumber, at now: Moment) {
        guard let written = launches[number]?.record.underWay?.steps else { return }
        launches[number]?.record.underWay = nil
        let returned = written.compactMap(\.returning)
        for work in returned { takeBack(work, at: now) }
        // What needs no lane that this launch still takes up does not wait for the record of its end.
        if returned.contains(where: { $0.kind == .continued }), let plugin = launches[number]?.plugin {
            consider(plugin, .continued, at: now)
        }
        flush(number)
        letSuccessorsBegin(after: number, at: now)
        releaseIfRecorded(number, at: now)
    }

    mutating func recordingFailed(_ number: LaunchNumber, because message: String, at now: Moment) {
        guard let failed = launches[number]?.record.underWay?.steps else { return }
        launches[number]?.record.underWay = nil
        launches[number]?.record.waiting.insert(contentsOf: failed, at: 0)
        launches[number]?.record.retryAt = now.monotonic + configuration.hostRetryDelay
        launches[number]?.dropSucceeded()
        setAlarm(of: number)
        refuseCancellations(of: launches[number]?.unrecorded ?? [], because: message)
    }

    /// A newer submission that reached the ledger first wins over the returning one (C3).
    private mutating func takeBack(_ work: PendingWork, at now: Moment) {
        switch work {
        case .request(let request):
            let identifier = request.request.identifier
            guard plugins[request.plugin]?.pending[identifier] == nil else { return }
            if plugins[request.plugin]?.expected[identifier] == nil { plugins[request.plugin]?.expected.set(request) }
            store(request, at: now)
        case .event(let event): store(event, at: now)
        }
    }

    private mutating func releaseIfRecorded(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], launch.phase == .ended, launch.record.isComplete else { return }
        launches[number] = nil
        leaveLane(launch, at: now)
        // What has returned may be due while its lane is another one's: look there too.
        for lane in Lane.allCases where lane != launch.lane { consider(launch.plugin, lane, at: now) }
    }
}
