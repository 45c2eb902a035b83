// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What became of one submitted commit.
package struct CommitReport: Sendable {
    package let ticket: UInt64
    /// Success means: on disk, and back after any crash.
    package let result: Result<Void, LedgerError>

    init(ticket: UInt64, result: Result<Void, LedgerError>) {
        self.ticket = ticket
        self.result = result
    }
}
