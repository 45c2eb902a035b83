// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The result of one submitted ticket, a list of changes that are written all or not at all.
package struct CommitReport: Sendable {
    package let ticket: UInt64
    /// The result: success means that the changes are on disk and survive any crash.
    package let result: Result<Void, LedgerError>
    /// The payloads of the tasks that the ticket moved from pending to running, empty ones included. They are read in
    /// the ticket's transaction; the dictionary is empty when the ticket failed.
    package let payloads: [SubmissionNumber: [UInt8]]

    init(ticket: UInt64, result: Result<Void, LedgerError>, payloads: [SubmissionNumber: [UInt8]] = [:]) {
        self.ticket = ticket
        self.result = result
        self.payloads = payloads
    }
}
