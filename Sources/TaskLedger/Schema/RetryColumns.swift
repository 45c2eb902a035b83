// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// The columns of a `Retry` in the tables of pending and running work.
enum RetryColumns {
    static let names = [
        "attempts", "not_before", "runs_alone", "was_interrupted", "host_losses", "failures", "setbacks",
    ]
    static let list = names.joined(separator: ", ")
    static let placeholders = names.map { _ in "?" }.joined(separator: ", ")
}

extension StatementRun {
    /// Binds the values of the columns `RetryColumns.names`.
    mutating func bind(_ retry: Retry) throws {
        try bind(retry.attempts)
        try bind(retry.notBefore?.nanoseconds)
        try bind(retry.runsAlone)
        try bind(retry.wasInterrupted)
        try bind(retry.hostLosses)
        try bind(retry.failures)
        try bind(retry.setbacks)
    }
}

extension RowReader {
    mutating func retry() throws -> Retry {
        Retry(
            attempts: try count("attempts"),
            notBefore: try optionalWallTime("not_before"),
            runsAlone: try flag("runs_alone"),
            wasInterrupted: try flag("was_interrupted"),
            hostLosses: try count("host_losses"),
            failures: try count("failures"),
            setbacks: try count("setbacks")
        )
    }
}

extension LedgerSchema {
    /// The eleventh migration: the number of failures after which the host retried the work.
    static let eleventh = """
        ALTER TABLE request ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE event ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE task ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        """
}
