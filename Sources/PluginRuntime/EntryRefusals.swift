// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Synchronization

/// The refused calls of entry. A plugin often returns the status of such a call from entry, and the message about the
/// failed entry then names call and cause.
final class EntryRefusals: Sendable {
    /// The newest refusal for each status; nil once entry has returned.
    private let texts = Mutex<[Int32: String]?>([:])

    func note(_ problem: CallProblem, of call: StaticString) {
        texts.withLock { texts in
            if texts == nil { return }
            let name = "\(call): "
            texts?[problem.status] = problem.message.hasPrefix(name) ? problem.message : name + problem.message
        }
    }

    /// Notes a call that fails without a `CallProblem`. A call with the status `BGT_OK` is ignored.
    func note(_ status: Int32, of call: StaticString, _ text: String) {
        if status != BGT_OK { note(CallProblem(status: status, message: text), of: call) }
    }

    /// Ends the record when entry has returned.
    ///
    /// - Returns: the newest refused call with this status, and its text; nil when there is none.
    func close(for status: Int32) -> String? {
        texts.withLock { texts in
            defer { texts = nil }
            return texts?[status]
        }
    }
}
