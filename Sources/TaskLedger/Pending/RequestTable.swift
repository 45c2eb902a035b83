// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

extension Database {
    /// Takes the place of the request that is pending under the same plugin and identifier, if there is one.
    func store(_ request: PendingRequest, payload: [UInt8], names: inout PluginNames) throws {
        let key: StatementArguments = [
            request.number.rawValue, try names.number(of: request.plugin, in: self), request.request.identifier.text,
        ]
        try run(
            """
            INSERT INTO request (number, plugin, identifier, \(RequestColumns.list), payload)
            VALUES (?, ?, ?, \(RequestColumns.placeholders), ?)
            ON CONFLICT (plugin, identifier) DO UPDATE SET
                number = excluded.number, \(RequestColumns.replacements), payload = excluded.payload
            """,
            key + RequestColumns.values(of: request, names: &names, in: self) + [Data(payload)]
        )
    }

    /// Removing a request that is not pending changes nothing: another change may have taken it already.
    func removeRequest(_ number: SubmissionNumber) throws {
        try run("DELETE FROM request WHERE number = ?", [number.rawValue])
    }

    /// Holding a request that is not pending changes nothing: nobody waits then.
    func holdSoftly(_ number: SubmissionNumber, since: WallTime) throws {
        try run("UPDATE request SET held_softly_since = ? WHERE number = ?", [since.nanoseconds, number.rawValue])
    }

    func pendingRequests() throws -> [PendingRequest] {
        let sql = """
            SELECT number, owner.identifier, request.identifier, \(RequestColumns.readable)
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
