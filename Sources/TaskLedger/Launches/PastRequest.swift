// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// The newest request of a task that ran in a launch, with its last outcome.
package struct PastRequest: Hashable, Sendable {
    package let request: PendingRequest
    package let launch: LaunchNumber
    /// The last outcome of the task in the launch; nil while it runs.
    package let outcome: TaskOutcome?
    /// The payload; nil when it is no longer kept. Of each task, only the payload of the last request that ended
    /// without success is kept, until its launch is pruned.
    package let payload: [UInt8]?
}

extension Ledger {
    /// The request of the newest task with a journaled outcome; nil when no such task exists, or its launch was pruned.
    package func pastRequest(of identifier: TaskIdentifier) throws(LedgerError) -> PastRequest? {
        try read("reading the last request of \(identifier)") { try $0.pastRequest(of: identifier) }
    }

    /// The label of the work with the submission number: a task identifier or the name of an event. Nil when the
    /// journal has no entry about the submission. Reads the whole journal.
    package func label(of submission: SubmissionNumber) throws(LedgerError) -> String? {
        try read("reading the journal of submission \(submission)") { database in
            try database.rows(Past.label, [submission.rawValue], of: "journal") { try $0.text("label") }.first
        }
    }
}

extension Database {
    fileprivate func pastRequest(of identifier: TaskIdentifier) throws -> PastRequest? {
        let (sql, arguments) = Span.newest(identifier.text, nil)
        let newest = try rows(sql, arguments, of: "journal") { row in
            (submission: try row.submission("submission"), launch: try row.launch("launch"))
        }
        guard let newest = newest.first else { return nil }
        let past: [PastRequest?] = try rows(
            Past.request,
            [newest.launch.rawValue, newest.submission.rawValue],
            of: "task"
        ) { row in
            let plugin = try row.plugin()
            var submitters = SubmitterNames(of: plugin, id: try row.integer("plugin"), in: self)
            guard case .request(let request) = try row.work(of: plugin, submitters: &submitters) else { return nil }
            return PastRequest(
                request: request,
                launch: newest.launch,
                outcome: try row.optional("outcome") { try $0.name($1) },
                payload: try row.keptPayload()
            )
        }
        return past.first ?? nil
    }
}

extension RowReader {
    /// The kept payload of the row; nil when it is not kept.
    fileprivate mutating func keptPayload() throws -> [UInt8]? {
        if try count("payload_size") == 0 { return [] }
        return try isNull("bytes") ? nil : bytes("bytes")
    }
}

extension WriteAccess {
    /// Keeps the payload of a task that ends without success in place of the kept payload of an older request of the
    /// same task. Does nothing for a task without a payload, and for an event.
    func keepPayload(of submission: SubmissionNumber, in launch: LaunchNumber) throws {
        try run(Past.keep, launch.rawValue, submission.rawValue)
    }

    func forgetKeptPayloads(ofPlugin number: Int64) throws { try run(Past.forget, number) }
}

private enum Past {
    static let request = """
        SELECT task.launch, \(Tasks.workColumns), task.outcome AS outcome, payload_size, identifier, launch.plugin, (
            SELECT bytes FROM kept_payload AS kept
            WHERE kept.plugin = launch.plugin AND kept.identifier = label AND kept.submission = task.submission
        ) AS bytes
        FROM task JOIN launch ON launch.number = task.launch JOIN plugin ON plugin.id = launch.plugin
        WHERE task.launch = ? AND submission = ?
        """

    static let label = """
        SELECT number, label FROM journal WHERE submission = ? AND label IS NOT NULL ORDER BY number DESC LIMIT 1
        """

    static let keep = StatementText(
        """
        INSERT INTO kept_payload (plugin, identifier, submission, launch, bytes)
        SELECT launch.plugin, task.label, task.submission, task.launch, payload.bytes
        FROM task JOIN launch ON launch.number = task.launch JOIN payload ON payload.submission = task.submission
        WHERE task.launch = ? AND task.submission = ? AND task.event_type IS NULL
            AND task.kind <> \(TaskKind.transfer.rawValue)
        ON CONFLICT (plugin, identifier) DO UPDATE SET
            submission = excluded.submission, launch = excluded.launch, bytes = excluded.bytes
        """
    )
    static let forget = StatementText("DELETE FROM kept_payload WHERE plugin = ?")
}

extension LedgerSchema {
    /// The thirteenth migration: the payload of the last request of each task that ended without success, for a retry.
    static let thirteenth = """
        CREATE TABLE kept_payload (
            id INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            identifier TEXT NOT NULL,
            submission INTEGER NOT NULL,
            launch INTEGER NOT NULL REFERENCES launch (number) ON DELETE CASCADE,
            bytes BLOB NOT NULL,
            UNIQUE (plugin, identifier)
        ) STRICT;

        CREATE INDEX kept_payload_by_launch ON kept_payload (launch);
        """
}
