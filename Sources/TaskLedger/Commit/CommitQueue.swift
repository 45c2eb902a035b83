// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The commits that wait for a transaction, in two lanes. Writes nothing itself.
///
/// - A ticket is *history* when it consists of nothing but waits, deferral periods and journal entries that end no task.
///   Every other ticket is an *answer*: a caller or a launch waits for it.
/// - Answers are written before history. After `mostAnswerGroups` groups of answers one group of history is written, so
///   that history is delayed and never starved.
/// - Within each lane tickets are written in the order of their submission.
/// - Tickets that change the waits or deferrals of one plugin are written in the order of their submission, whatever their
///   lane: an answer takes the earlier history of its plugins along, and history that follows such an answer waits with
///   the answers. Thus no wait is recorded for a plugin after the ticket that forgets it, and no wait is opened again by
///   a ticket that is older than the one that closed it.
/// - A group holds at most `mostInGroup` tickets, all from one lane and all submitted before it began.
final class CommitQueue: Sendable {
    static let mostInGroup = 512
    /// Groups of answers in a row while history waits.
    static let mostAnswerGroups = 4

    enum Admission {
        case queued
        /// The writer sleeps: the caller that receives this admission wakes it.
        case queuedFirst
        case closed
    }

    private struct State {
        var answers = CommitLane()
        var history = CommitLane()
        /// Groups of answers that were begun since history was written, while it waited.
        var answerGroups = 0
        var isHistoryGroup = false
        /// Commits that the group may still take.
        var left = 0
        var isWriterAwake = false
        var isClosed = false

        var isEmpty: Bool { answers.isEmpty && history.isEmpty }

        mutating func add(_ commit: WaitingCommit) {
            if commit.isHistory && !answers.holdsAny(of: commit.classOwners) {
                history.append(commit)
                return
            }
            for earlier in history.take(of: commit.classOwners) { answers.append(earlier) }
            answers.append(commit)
        }

        mutating func beginGroup() {
            isHistoryGroup = answers.isEmpty || (!history.isEmpty && answerGroups >= mostAnswerGroups)
            answerGroups = isHistoryGroup || history.isEmpty ? 0 : answerGroups + 1
            left = min(mostInGroup, isHistoryGroup ? history.count : answers.count)
        }

        mutating func next() -> WaitingCommit? {
            if left == 0 { return nil }
            left -= 1
            return isHistoryGroup ? history.popFirst() : answers.popFirst()
        }
    }

    private let state = Mutex(State())

    func add(_ commit: WaitingCommit) -> Admission {
        state.withLock { state in
            if state.isClosed { return .closed }
            state.add(commit)
            if state.isWriterAwake { return .queued }
            state.isWriterAwake = true
            return .queuedFirst
        }
    }

    /// Decides which lane the next group comes from.
    ///
    /// - Returns: false when nothing waits.
    func beginGroup() -> Bool {
        state.withLock { state in
            state.beginGroup()
            return state.left > 0
        }
    }

    /// The next commit of the group; nil when the group has all of its commits.
    func next() -> WaitingCommit? { state.withLock { $0.next() } }

    /// Whether the writer has to begin another group; otherwise the next arrival wakes it.
    func continues() -> Bool {
        state.withLock { state in
            state.isWriterAwake = !state.isEmpty
            return state.isWriterAwake
        }
    }

    /// Admits nothing from now on; what waits already is still written.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
