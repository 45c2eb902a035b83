// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The commits that wait for a transaction, in two lanes. The queue itself writes nothing.
///
/// - A ticket is *history* when it consists of waits, deferral periods and journal entries that end no task. Every
///   other ticket is an *answer*: a caller or a launch waits for it.
/// - Answers are written before history. After `mostAnswerGroups` groups of answers, one group of history is written:
///   history is delayed, never starved.
/// - Within each lane, tickets are written in the order of submission.
/// - Tickets that change the waits or deferrals of one plugin are written in the order of submission, whatever their
///   lane. An answer moves the earlier history of its plugins into its own lane, and history that follows such an
///   answer is queued with the answers. Thus no wait is recorded for a plugin after the ticket that forgets the plugin.
///   Nor does an older ticket reopen a wait that a newer one has closed.
/// - A group holds at most `mostInGroup` tickets, all from one lane and all submitted before the group began.
final class CommitQueue: Sendable {
    static let mostInGroup = 512
    /// Maximum number of consecutive groups of answers while history waits.
    static let mostAnswerGroups = 4

    enum Admission {
        case queued
        /// The commit was queued while the writer sleeps: the caller has to wake the writer.
        case queuedFirst
        case closed
    }

    private struct State {
        var answers = CommitLane()
        var history = CommitLane()
        /// Number of groups of answers since the last group of history, counted while history waits.
        var answerGroups = 0
        var isHistoryGroup = false
        /// Number of commits that the current group can still contain.
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

    /// Chooses the lane of the next group and begins the group.
    ///
    /// - Returns: false when no commit waits.
    func beginGroup() -> Bool {
        state.withLock { state in
            state.beginGroup()
            return state.left > 0
        }
    }

    /// Removes and returns the next commit of the group; nil at the end of the group.
    func next() -> WaitingCommit? { state.withLock { $0.next() } }

    /// Whether the writer has to write another group. If not, the writer counts as asleep, and the next commit wakes
    /// it.
    func continues() -> Bool {
        state.withLock { state in
            state.isWriterAwake = !state.isEmpty
            return state.isWriterAwake
        }
    }

    /// Rejects all later commits. Waiting commits are still written.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
