// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import RunnerWire
package import TaskModel

/// The calls of the plugin that wait for the host's answer: at most `CallWindow.limit` calls are sent and unanswered at
/// once. A call above this limit waits for a place. Calls get places in their order, except that other calls overtake
/// calls for a list. Completions, reports and log lines need no answer and do not use the table.
///
/// At most one call for a list is sent and unanswered: its answer may be half as long as the longest frame, and the
/// host closes the channel when more than two frames wait to be read.
package final class CallTable: Sendable {
    package enum Answer: Hashable, Sendable {
        case submitted(SubmissionNumber)
        case refused(SubmissionRefusal)
        case cancelled(isRecorded: Bool)
        case pending([ListedRequest])
        case cursorStored(isRecorded: Bool)
        case pushToken(PushToken?)
        case transferBegun(SubmissionNumber)
        case transfers([ListedTransfer])
    }

    private struct State {
        /// The newest ticket. Callers get tickets in the order of their calls.
        var lastTicket: UInt64 = 0
        /// Number of the newest call that got a place. Calls get their numbers together with their places.
        var last: UInt64 = 0
        /// The tickets that wait for a place among the open calls, oldest first. `waitingLists` has those of calls for
        /// a list.
        var (waiting, waitingLists): ([UInt64], [UInt64]) = ([], [])
        /// By ticket, the numbers of the calls that have a place, until their callers resume.
        var placed: [UInt64: CallNumber] = [:]
        /// Open calls: calls that got a place and whose caller has not taken the answer yet. The value is nil until the
        /// answer arrives.
        var open: [CallNumber: Answer?] = [:]
        /// Number of open calls without an answer.
        var unanswered = 0
        /// The open call for a list until its answer arrives; nil without one.
        var openList: CallNumber?
        var isClosed = false

        /// Gives free places among the open calls to the callers that have waited longest.
        mutating func admit() {
            while !isClosed, unanswered < CallWindow.limit, let (ticket, isList) = nextTicket() {
                last += 1
                unanswered += 1
                let number = CallNumber(rawValue: last)
                open[number] = .some(nil)
                placed[ticket] = number
                if isList { openList = number }
            }
        }

        /// Removes and returns the ticket that has waited longest and may get a place; nil when there is none. While an
        /// open call for a list is unanswered, the tickets of other calls for a list wait, and those of all other calls
        /// overtake them.
        private mutating func nextTicket() -> (UInt64, isList: Bool)? {
            let list = openList == nil ? waitingLists.first : nil
            if let list, waiting.first.map({ list < $0 }) ?? true { return (waitingLists.removeFirst(), true) }
            return waiting.isEmpty ? nil : (waiting.removeFirst(), false)
        }

        /// Frees the place of an answered or unsent call.
        mutating func free(_ number: CallNumber) {
            unanswered -= 1
            if openList == number { openList = nil }
            admit()
        }
    }

    private let state = Monitor(State())

    package init() {}

    /// Sends a call and blocks until the host has answered. Never called on the control thread, which receives the
    /// answers.
    ///
    /// - Parameters:
    ///   - isList: whether the answer is a list. At most one call for a list is sent and unanswered at once.
    ///   - send: sends the message; false when it could not be sent.
    /// - Returns: the answer; nil when the message was not sent, because the table is closed or `send` failed.
    package func call(isList: Bool = false, _ send: (CallNumber) -> Bool) -> Answer? {
        guard let number = takePlace(isList) else { return nil }
        guard send(number) else {
            state.change { state in
                state.open[number] = nil
                state.free(number)
            }
            return nil
        }
        let answer = state.wait { state in state.open[number] ?? nil }
        state.change { $0.open[number] = nil }
        return answer
    }

    /// Blocks until a place among the open calls is free, and takes it. Returns nil when the table was closed first.
    private func takePlace(_ isList: Bool) -> CallNumber? {
        let ticket = state.change { state in
            state.lastTicket += 1
            if isList { state.waitingLists.append(state.lastTicket) } else { state.waiting.append(state.lastTicket) }
            state.admit()
            return state.lastTicket
        }
        return state.wait { state -> CallNumber?? in
            if let number = state.placed.removeValue(forKey: ticket) { return .some(number) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// Stores the answer for the caller of `number`. An answer to an unknown or already answered call is dropped.
    package func answer(_ number: CallNumber, _ answer: Answer) {
        state.change { state in
            guard case .some(.none) = state.open[number] else { return }
            state.open[number] = .some(answer)
            state.free(number)
        }
    }

    /// The number of callers that wait for a place among the open calls.
    package var waiting: Int { state.read { $0.waiting.count + $0.waitingLists.count } }

    /// Closes the table. Calls that wait for a place return nil; open calls still get their answer.
    package func close() {
        state.change { $0.isClosed = true }
    }

    /// Blocks until no call is open, or until `deadline`.
    ///
    /// - Returns: the number of calls that are still unanswered.
    package func drain(until deadline: MonotonicTime) -> Int {
        state.wait(until: deadline) { $0.open.isEmpty ? 0 : nil } ?? state.read { $0.unanswered }
    }
}
