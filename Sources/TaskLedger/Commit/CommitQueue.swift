// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The commits that wait for a transaction, in two lanes. The queue itself writes nothing.
///
/// - A ticket of `Ledger.submit` is *history* when it consists only of waits, deferral periods and journal entries that
///   end no task and that no user's call caused. Every other ticket is an *answer*: a caller or a launch waits for it,
///   or it records a user's call, whose effects are answers.
/// - Answers are written before history. After `mostAnswerGroups` groups of answers, one group of history is written:
///   history is delayed, never starved.
/// - Each lane is written in the order in which tickets entered it. A ticket enters the lane of its type when it is
///   submitted.
/// - Tickets that change the waits or deferrals of one plugin are written in the order of submission, whatever their
///   type. For this, an answer that changes waits or deferrals moves the waiting history about the same plugin into the
///   lane of the answers, before itself. While such an answer waits, further history about the plugin enters the lane
///   of the answers, too. Thus no wait is recorded for a plugin after the ticket that deletes the plugin's record. Nor
///   does an older ticket reopen a wait that a newer one has closed.
/// - A group holds at most `mostInGroup` tickets, all from one lane, and at most as many as waited in the lane when the
///   group began.
final class CommitQueue: Sendable {
    static let mostInGroup = 512
    /// Maximum number of groups of answer tickets that are written one after the other while history tickets wait.
    static let mostAnswerGroups = 4

    enum Admission {
        case queued
        /// The commit was queued while the writer was asleep: the caller has to wake the writer.
        case queuedFirst
        case closed
    }

    private struct State {
        var answers = CommitLane()
        var history = CommitLane()
        /// Number of groups of answers written since the last group of history; 0 while no history waits.
        var answerGroups = 0
        var isHistoryGroup = false
        /// Maximum number of further commits that the current group may take from its lane.
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

    /// Removes and returns the next commit of the current group; nil at the end of the group.
    func next() -> WaitingCommit? { state.withLock { $0.next() } }

    /// Whether the writer has to write another group. If not, the writer counts as asleep from now on, and the next
    /// call of `add` returns `queuedFirst`.
    func continues() -> Bool {
        state.withLock { state in
            state.isWriterAwake = !state.isEmpty
            return state.isWriterAwake
        }
    }

    /// Rejects every commit that is added later. Waiting commits are still written.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
