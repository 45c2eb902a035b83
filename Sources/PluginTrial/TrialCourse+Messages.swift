// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginLaunch
import RunnerWire
package import TaskModel

extension TrialCourse {
    /// The action that sets the first kill time, after the plan was sent.
    package mutating func begin() -> [Action] { updatedKillTime(at: start) }

    /// Adds an event of the launch to the log of the trial, and returns the actions with which the host answers it.
    package mutating func receive(_ event: LaunchEvent, at now: MonotonicTime) -> [Action] {
        switch event {
        // Launches of a trial have no control groups.
        case .ready, .wrote, .unlimited: return []
        case .unavailable(_, let error):
            add(.notStarted(message: error.message), at: now)
            phase = .ended
        case .failedByHost(_, let message): add(.notStarted(message: message), at: now)
        case .message(_, let message): return receive(message, at: now)
        case .refused(_, let call): add(.denied(call), at: now)
        case .malformed(_, let message): add(.malformed(message: message), at: now)
        case .windowExceeded: add(.malformed(message: "more calls were unanswered at once than allowed"), at: now)
        case .output(_, let stream, let line): add(.output(stream, line: line), at: now)
        case .outputDropped(_, let stream, let lines): add(.outputDropped(stream, lines: lines), at: now)
        case .killTimePassed: add(.overdue, at: now)
        case .ended(_, let end):
            add(.ended(end), at: now)
            phase = .ended
        }
        return []
    }

    private mutating func receive(_ message: RunnerMessage, at now: MonotonicTime) -> [Action] {
        switch message {
        case .entered(let status, let registered, let offersReceive, let cause):
            return enter(status, registered, offersReceive, cause, at: now)
        case .registered(let identifier): add(.registered(identifier), at: now)
        case .loadFailed(let message): add(.loadFailed(message: message), at: now)
        case .ffiMissing(let message), .sandboxFailed(let message): add(.notStarted(message: message), at: now)
        case .confined: break
        case .completed(let id, let outcome, let message):
            guard let task = number(of: id), tasks[task].isOpen else { return [] }
            tasks[task].isOpen = false
            add(.completed(task, outcome, message: message), at: now)
            return stopIfDone(at: now)
        case .expirationHandler(let id, let isSet):
            if let task = number(of: id) { add(.expirationHandler(task, isSet: isSet), at: now) }
        case .expiring(let ids, let reason):
            let expired = ids.compactMap(number).filter { tasks[$0].isOpen && tasks[$0].killTime == nil }
            markExpired(expired, reason, at: now)
            return assertionsAfterExpiration(reason, at: now) + updatedKillTime(at: now)
        case .progress(let id, let progress): progressed(id, progress, at: now)
        case .title(let id, let title, let subtitle):
            if let task = number(of: id) { add(.title(task, title, subtitle: subtitle), at: now) }
        case .fetchInterval(let interval): add(.fetchInterval(interval), at: now)
        case .assertionBegan(let id, let name):
            assertions.insert(id)
            add(.assertionBegan(id, name: name), at: now)
            return updatedKillTime(at: now)
        case .assertionEnded(let id):
            assertions.remove(id)
            add(.assertionEnded(id), at: now)
            return stopIfDone(at: now)
        case .cursorWritten, .notificationContent, .transferTaken, .transferEnded: break
        case .submit, .cancel, .cancelAll, .pending, .checkpoint, .registerForPushes, .unregisterForPushes,
            .beginTransfer, .cancelTransfer, .transfers:
            return answer(message, at: now)
        case .log(let level, let id, let message):
            add(.log(level, task: id.flatMap(number), message: message), at: now)
        case .violation(let kind, let message): add(.violation(kind, message: message), at: now)
        case .stopped: add(.stopped, at: now)
        }
        return []
    }

    func number(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }

    /// Handles the return of entry: tasks without a handler end, and the launch ends when neither a task nor an
    /// assertion is left.
    private mutating func enter(
        _ status: Int32,
        _ registered: [PermittedIdentifier],
        _ offersReceive: Bool,
        _ cause: String?,
        at now: MonotonicTime
    ) -> [Action] {
        guard phase == .entering else { return [] }
        add(.entered(status: status, registered: registered, offersReceive: offersReceive, cause: cause), at: now)
        phase = .running
        enteredAt = now
        for number in tasks.indices {
            tasks[number].progressedAt = now
            if !log.isDelivered(tasks[number].identifier, isEvent: tasks[number].kind == .event) {
                tasks[number].isOpen = false
            }
        }
        return stopIfDone(at: now)
    }

    private mutating func progressed(_ id: TaskID, _ progress: TaskProgress, at now: MonotonicTime) {
        guard let task = number(of: id), tasks[task].isOpen else { return }
        add(.progress(task, progress), at: now)
        if tasks[task].furthest.include(progress) { tasks[task].progressedAt = now }
    }
}
