// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The stored data of the tasks that a ticket moves from pending to running.
package struct StartedTasks: Hashable, Sendable {
    /// The payloads by submission number, including empty payloads.
    package var payloads: [SubmissionNumber: [UInt8]] = [:]
    /// The cursors by submission number; no entry for a task without a cursor.
    package var cursors: [SubmissionNumber: TaskCursor] = [:]
}

/// The result of one submitted ticket, a list of changes that are written all or not at all.
package struct CommitReport: Sendable {
    package let ticket: UInt64
    /// The result. Success means that the changes are on disk and survive any crash; the value has the payloads and the
    /// cursors of the tasks that the ticket moved from pending to running, read in the ticket's transaction.
    package let result: Result<StartedTasks, LedgerError>

    init(ticket: UInt64, result: Result<StartedTasks, LedgerError>) {
        self.ticket = ticket
        self.result = result
    }

    /// The payloads of the tasks that a successful ticket moved from pending to running; empty for a failed ticket.
    package var payloads: [SubmissionNumber: [UInt8]] { (try? result.get())?.payloads ?? [:] }
    /// The cursors of those tasks.
    package var cursors: [SubmissionNumber: TaskCursor] { (try? result.get())?.cursors ?? [:] }
}
