// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import Synchronization
import TaskModel

extension DecisionLoop {
    /// Sends the events of a batch in order, and returns the answers in the same order. Other inputs are handled between
    /// the events.
    func ask(_ events: [@Sendable (ReplyToken) -> SchedulerEvent]) async -> [Answer] {
        if events.isEmpty { return [] }
        return await withCheckedContinuation { continuation in
            let answers = AnswerList(count: events.count) { continuation.resume(returning: $0) }
            mailbox.put(
                batch: events.enumerated().compactMap { index, event in
                    register { answers.set($0, at: index) }.map { .event(event($0)) }
                }
            )
        }
    }
}

/// The answers to several events. They arrive in any order and on any thread.
private final class AnswerList: Sendable {
    private struct State {
        var answers: [Answer?]
        var missing: Int
    }

    private let state: Mutex<State>
    private let onComplete: @Sendable ([Answer]) -> Void

    /// Creates a list without answers.
    ///
    /// - Parameter onComplete: receives the answers, in order, when the last one has arrived.
    init(count: Int, onComplete: @escaping @Sendable ([Answer]) -> Void) {
        state = Mutex(State(answers: Array(repeating: nil, count: count), missing: count))
        self.onComplete = onComplete
    }

    /// Sets the answer to one event. Called once for each event.
    func set(_ answer: Answer, at index: Int) {
        let complete = state.withLock { state -> [Answer]? in
            state.answers[index] = answer
            state.missing -= 1
            return state.missing == 0 ? state.answers.compactMap { $0 } : nil
        }
        if let complete { onComplete(complete) }
    }
}
