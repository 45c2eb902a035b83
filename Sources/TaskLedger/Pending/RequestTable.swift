// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

extension Database {
    /// Takes the place of the request that is pending under the same plugin and identifier, if there is one.
    func store(_ request: PendingRequest, payload: [UInt8], names: inout PluginNames) throws {
        let retry = request.retry
        try run(
            """
            INSERT INTO request (
                number, plugin, identifier, kind, earliest_begin, requires_network, requires_external_power,
                submitter, submitted_at, attempts, not_before, runs_alone, was_interrupted, payload
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (plugin, identifier) DO UPDATE SET
                number = excluded.number, kind = excluded.kind, earliest_begin = excluded.earliest_begin,
                requires_network = excluded.requires_network,
                requires_external_power = excluded.requires_external_power,
                submitter = excluded.submitter, submitted_at = excluded.submitted_at,
                attempts = excluded.attempts, not_before = excluded.not_before, runs_alone = excluded.runs_alone,
                was_interrupted = excluded.was_interrupted, payload = excluded.payload
            """,
            [
                request.number.rawValue, try names.number(of: request.plugin, in: self),
                request.request.identifier.text, Int64(request.request.kind.rawValue),
                request.request.earliestBegin?.nanoseconds, request.request.requiresNetwork,
                request.request.requiresExternalPower, try names.number(of: request.submitter, in: self),
                request.submittedAt.nanoseconds, retry.attempts, retry.notBefore?.nanoseconds, retry.runsAlone,
                retry.wasInterrupted, Data(payload),
            ]
        )
    }

    /// Removing a request that is not pending changes nothing: another change may have taken it already.
    func removeRequest(_ number: SubmissionNumber) throws {
        try run("DELETE FROM request WHERE number = ?", [number.rawValue])
    }

    func pendingRequests() throws -> [PendingRequest] {
        let sql = """
            SELECT number, owner.identifier, request.identifier, kind, earliest_begin, requires_network,
                requires_external_power, other.identifier AS submitter, submitted_at, attempts, not_before,
                runs_alone, was_interrupted
            FROM request JOIN plugin AS owner ON owner.id = request.plugin
                LEFT JOIN plugin AS other ON other.id = request.submitter
            ORDER BY number
            """
        return try rows(sql, of: "request") { row in
            let number = try row.submission()
            return try PendingRequest(number, of: try row.plugin(), from: &row)
        }
    }
}

extension PendingRequest {
    /// Reads from the identifier to the retry state, which pending and running rows share.
    init(_ number: SubmissionNumber, of plugin: PluginIdentifier, from row: inout RowReader) throws {
        self.init(
            plugin: plugin,
            number: number,
            request: TaskRequest(
                identifier: try row.value({ try $0.text() }, { TaskIdentifier($0) }),
                kind: try row.code(),
                earliestBegin: try row.optionalWallTime(),
                requiresNetwork: try row.flag(),
                requiresExternalPower: try row.flag()
            ),
            submitter: try row.submitter(),
            submittedAt: try row.wallTime(),
            retry: try row.retry()
        )
    }
}
