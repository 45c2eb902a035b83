// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Messages of runners and their effects on tasks.
extension NaiveHost {
    func hear(_ event: SchedulerEvent) {
        switch event {
        case .entered(let number, let status, let registered, let receives, _):
            entered(number, status: status, registered: registered, receives: receives)
        case .loadFailed(let number, _):
            guard let launch = launches[number], launch.isHeard, launch.entry == .running else { return }
            launches[number]?.entry = .notLoaded
        case .registered(let number, let identifier): registered(identifier, by: number)
        case .progressed(let number, let id, let progress): progressed(number, id, progress)
        case .completed(let number, let id, let outcome, _): completed(number, id, outcome)
        case .cursorsRead(let number, let cursors): cursorsRead(number, cursors)
        case .cursorWritten(let number, let id, let write, _): cursorWritten(number, id, write)
        case .expirationHandlerChanged(let number, let id, let isSet):
            guard let launch = launches[number], launch.isHeard, let index = launch.index(of: id) else { return }
            launches[number]?.tasks[index].hasHandler = isSet
        case .runnerExpired(let number, let ids, .budget): expiredByRunner(number, ids)
        case .assertionBegan(let number, let id, let name): assertionBegan(number, id, name)
        case .assertionEnded(let number, let id):
            guard let launch = launches[number], launch.isHeard else { return }
            launches[number]?.assertions.remove(id)
        case .runnerEnded(let number, let termination, let words): processEnded(number, termination, words)
        default: break
        }
    }

    /// Expects the end of every task without a handler (statements 17 and 52), and of every event in a plugin without a
    /// receiver (C11).
    private func entered(_ number: LaunchNumber, status: Int32, registered: [PermittedIdentifier], receives: Bool) {
        guard let launch = launches[number], launch.isHeard, launch.entry == .running else { return }
        launches[number]?.entry = status == 0 ? .returned : .failed
        if status != 0 { return }
        launches[number]?.registered = registered
        noteSuccess(of: launch.plugin)
        for index in launch.undone {
            let task = launch.tasks[index]
            switch task.work {
            case .request(let request):
                let isPush = request.request.kind == .push
                if isPush ? !receives : !registered.contains(where: { $0.covers(request.request.identifier) }) {
                    launches[number]?.tasks[index].fate = .over(.notRegistered)
                } else if task.isContinued {
                    launches[number]?.tasks[index].stallsAt = now.monotonic + configuration.stallLimit
                }
            case .event(let event) where !receives:
                launches[number]?.tasks[index].fate = .over(event.type == .started ? .succeeded : .notRegistered)
            case .event: break
            }
        }
        expectLosses(in: number, since: launch.conditionsAtClose)
    }

    private func registered(_ identifier: PermittedIdentifier, by number: LaunchNumber) {
        guard let launch = launches[number], launch.isHeard, launch.plan.plugin.role == .main else { return }
        let permitted = launch.plan.plugin.permitted
        let isCovered =
            switch identifier {
            case .exact(let name) where permitted.contains(identifier):
                (launch.isForeground || launch.tasks.contains(where: \.isContinued))
                    && !launch.tasks.contains { !$0.isContinued && $0.work.identifier == name }
            case .exact(let name): permitted.contains { $0.covers(name) }
            case .pattern: permitted.contains(identifier)
            }
        if isCovered { launches[number]?.registered.append(identifier) }
    }

    private func progressed(_ number: LaunchNumber, _ id: TaskID, _ progress: TaskProgress) {
        guard let launch = launches[number], launch.runs, let index = launch.index(of: id),
            launch.tasks[index].isContinued, launch.tasks[index].goesOn
        else { return }
        let old = launch.tasks[index].furthest
        launches[number]?.tasks[index].progress = progress
        // Only a new maximum of units or of their share is progress; alternating values are none.
        if progress.done <= old.done, progress.fraction <= old.fraction { return }
        launches[number]?.tasks[index].furthest = (max(progress.done, old.done), max(progress.fraction, old.fraction))
        launches[number]?.tasks[index].stallsAt = now.monotonic + configuration.stallLimit
    }

    /// Records the first completion of a task (statement 62).
    private func completed(_ number: LaunchNumber, _ id: TaskID, _ outcome: CompletionOutcome) {
        guard let launch = launches[number], launch.isHeard, let index = launch.index(of: id),
            launch.tasks[index].isUndone
        else { return }
        let required =
            switch outcome {
            case .success: SeenEnd(fate: .over(.succeeded))
            case .noData: SeenEnd(fate: .over(.noData))
            case .failure: end(ofFailed: launch.tasks[index], in: launch)
            }
        launches[number]?.tasks[index].end(as: required)
    }

    private func end(ofFailed task: SeenTask, in launch: SeenLaunch) -> SeenEnd {
        let isStopped = task.wasCancelled || task.isToStop || task.expiration?.reason == .stoppedByUser
        let isBeingStopped = underWay.values.joined().contains(.forbidRequeue(launch.number, task.work.number))
        let terms = task.work.identifier.flatMap { identifier in
            policy(launch.plugin).retries.terms(for: identifier, proposed: launch.plan.plugin.retries)
        }
        return endOfFailed(
            task,
            without: fate(ofFailed: task, under: terms, isUnwanted: isStopped || isBeingStopped),
            isUnwanted: isStopped || isBeingStopped,
            isRetried: terms != nil
        )
    }

    /// A failed task is retried under the operator's terms, unless it was cancelled or stopped, a newer request exists,
    /// or its attempts are used up. The walk has terms without jitter.
    private func fate(ofFailed task: SeenTask, under terms: FailureRetry?, isUnwanted: Bool) -> SeenTask.Fate {
        guard let terms else { return .over(.failed) }
        var retry = task.work.retry
        retry.failures += 1
        if retry.failures >= terms.attempts || isUnwanted || task.isSucceeded { return .over(.failed) }
        var delay = terms.delay
        for _ in 1..<retry.failures { delay = delay * terms.backoff }
        retry.notBefore = now.wall + min(delay, .seconds(86_400))
        return .back(.retrying, retry)
    }

    private func expiredByRunner(_ number: LaunchNumber, _ ids: [TaskID]) {
        guard let launch = launches[number], launch.runs, let deadline = launch.plan.budget.deadline else { return }
        for id in ids {
            guard let index = launch.index(of: id), launch.tasks[index].goesOn, !launch.tasks[index].isContinued
            else { continue }
            launches[number]?.tasks[index].expiration = (.budget, deadline + gracePeriod(of: launch))
        }
    }

    private func assertionBegan(_ number: LaunchNumber, _ id: AssertionID, _ name: String) {
        guard let launch = launches[number], launch.isHeard, id.belongs(to: number),
            launch.newestAssertion.map({ $0 < id }) ?? true
        else { return }
        launches[number]?.newestAssertion = id
        if name.utf8.count > 255 || launch.assertions.count >= 64 { return }
        launches[number]?.assertions.insert(id)
    }

    private func processEnded(_ number: LaunchNumber, _ termination: ProcessTermination, _ words: LastWords?) {
        if preparing.remove(number) != nil { return noteTrouble(ofPrepared: number) }
        guard launches[number]?.end == nil else { return }
        launches[number]?.end = (termination, words)
        concludeWhatIsDecided()
    }
}
