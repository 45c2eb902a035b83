// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A write of a running task to its cursor, compared with the cursor with which the run began.
package enum CursorWrite: Hashable, Sendable {
    case moved
    /// The cursor is the same as at the start of the run.
    case unmoved
    /// The cursor is the same as after the write before. Only a call that waits for its commit causes this write.
    case repeated
    case discarded
}

/// The cursor of a running task, as far as decisions depend on it. The scheduler never has its bytes.
struct CursorState: Hashable, Sendable {
    /// Number of earlier runs in a row that ended early without moving the cursor.
    var standstills = 0
    /// Whether the cursor is another one than at the start of this run.
    var hasMoved = false
    /// Whether the run began at the cursor. A task that discards such a cursor runs again, because otherwise a version
    /// of the plugin that cannot use the cursor would lose the request.
    var isFromEarlierRun = false
    /// Whether the run has discarded the cursor and written none since.
    var isDiscarded = false
    /// Whether the run has discarded the cursor of an earlier run, and so began from the start.
    var hasBegunAgain = false
    /// Whether the run counts as one without a movement. A run that began from the start may only have repeated the
    /// work of an earlier run, and the next one may do the same.
    var standsStill: Bool { !hasMoved || hasBegunAgain }
}

extension Execution.Task {
    /// Number of runs in a row without a movement of the cursor after which the task ends.
    static let mostStandstills = 3

    var hasMovedCursor: Bool { cursor?.hasMoved == true }

    mutating func wrote(_ write: CursorWrite) {
        var state = cursor ?? CursorState()
        state.hasMoved = write == .moved
        state.isDiscarded = write == .discarded
        if write == .discarded, state.isFromEarlierRun { state.hasBegunAgain = true }
        switch write {
        case .moved, .unmoved: cursor = state
        case .repeated: break
        case .discarded: cursor = state.isFromEarlierRun ? state : nil
        }
    }

    /// The number of standstills after this run, which ended early; nil when the run does not count: the task has no
    /// cursor, or moved the one at which it began, or ended early for another reason than its own.
    ///
    /// - Parameter isFault: whether the end of the run is charged to the task, or the task overran.
    func standstills(isFault: Bool) -> Int? {
        guard let cursor, cursor.standsStill else { return nil }
        let isLimit = expiration.map { $0.reason == .budget || $0.reason == .noProgress } ?? false
        return isFault || isLimit ? cursor.standstills + 1 : nil
    }

    /// The retry state of the task when it continues at its cursor. No attempt is charged.
    ///
    /// - Parameters:
    ///   - isDelayed: whether the next run waits for the retry delay.
    ///   - now: the time from which the delay counts.
    func continuation(
        isDelayed: Bool,
        _ configuration: SchedulingConfiguration,
        at now: WallTime
    ) -> (retry: Retry, delay: Duration?) {
        var retry = work.retry
        if hasMovedCursor { (retry.hostLosses, retry.failures) = (0, 0) }
        // After a used budget the spacing of the kind applies to the next run, as to a new request, also when an
        // earlier run was interrupted.
        retry.wasInterrupted = expiration?.reason != .budget
        let relapses = expiration.map { $0.reason == .memoryPressure || $0.reason == .noProgress } ?? false
        if hasMovedCursor { retry.setbacks = isDelayed ? retry.setbacks + 1 : 0 }
        guard isDelayed || relapses else { return (retry, nil) }
        if retry.isSetBackAgain { retry.runsAlone = true }
        let delay =
            isDelayed && hasMovedCursor
            ? configuration.retryDelay(afterSetbacks: retry.setbacks) : configuration.retryDelay(after: retry.attempts)
        retry.notBefore = now + delay
        return (retry, delay)
    }

    /// The end of the message about a task that continues.
    ///
    /// - Parameter standstills: the count after this run; nil when the run does not count.
    func continues(after standstills: Int?) -> String {
        let count = standstills.map { ", in run \($0) of at most \(Self.mostStandstills)" } ?? ""
        if cursor?.isDiscarded == true {
            return "; the task discarded its cursor\(count) and runs again from the start, no attempt charged"
        }
        if cursor?.hasBegunAgain == true, hasMovedCursor {
            return "; the task discarded the cursor of an earlier run\(count); it continues behind its new cursor, no"
                + " attempt charged"
        }
        if hasMovedCursor { return "; the task continues behind its cursor, no attempt charged" }
        return "; the cursor did not move\(count); the task continues at its cursor, no attempt charged"
    }

    /// The message about a task that ends because its runs do not move the cursor.
    func noProgress(after text: String) -> String {
        let remedy = "let the task move its cursor after smaller pieces of work, then submit again"
        if cursor?.hasBegunAgain == true {
            return "\(text); each of the last \(Self.mostStandstills) runs discarded the cursor of the run before, or"
                + " did not move it; let the task accept the cursors of its present version, and \(remedy)"
        }
        return "\(text); the cursor moved in none of the last \(Self.mostStandstills) runs; \(remedy)"
    }
}

extension Retry {
    /// Number of setbacks in a row from which the task runs in a launch by itself.
    private static let setbacksBeforeAlone = 2
    /// Number of setbacks in a row from which each one has a warning in the journal.
    private static let setbacksBeforeWarning = 5

    var isSetBackAgain: Bool { setbacks >= Self.setbacksBeforeAlone }
    var needsWarning: Bool { setbacks >= Self.setbacksBeforeWarning }
}

extension JournalEntry {
    /// The warning about work that moves its cursor, but whose runs keep ending by faults or losses of the host; nil
    /// when there were few of them.
    static func setbacks(of work: PendingWork, launch: LaunchNumber, blame: Blame, at now: WallTime) -> JournalEntry? {
        guard work.retry.needsWarning else { return nil }
        return JournalEntry(
            at: now,
            event: .setbacks,
            plugin: work.plugin,
            launch: launch,
            label: work.label,
            submission: work.number,
            blame: blame,
            message: "the last \(work.retry.setbacks) runs of \(work.label) moved its cursor, and then crashed, exited,"
                + " overran or were lost with the host; inform the vendor, or end the task with `bgtask task cancel`"
        )
    }
}
