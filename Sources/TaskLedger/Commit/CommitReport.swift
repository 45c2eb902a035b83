// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The result of one submitted ticket, a list of changes that are written all or not at all.
package struct CommitReport: Sendable {
    package let ticket: UInt64
    /// The result. Success means that the changes are on disk and survive any crash; the value has the payloads of the
    /// tasks that the ticket moved from pending to running, including empty payloads, read in the ticket's transaction.
    package let result: Result<[SubmissionNumber: [UInt8]], LedgerError>

    init(ticket: UInt64, result: Result<[SubmissionNumber: [UInt8]], LedgerError>) {
        self.ticket = ticket
        self.result = result
    }

    /// The payloads of the tasks that a successful ticket moved from pending to running; empty for a failed ticket.
    package var payloads: [SubmissionNumber: [UInt8]] { (try? result.get()) ?? [:] }
}
