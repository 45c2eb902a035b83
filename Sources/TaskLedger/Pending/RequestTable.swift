// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Stores a request; replaces the pending request of the same plugin and identifier.
    func store(_ request: PendingRequest, payload: [UInt8], names: inout PluginNames) throws {
        let plugin = try names.number(of: request.plugin, in: self)
        let submitter = try names.number(of: request.submitter, in: self)
        let identifier = request.request.identifier.text
        try run(Request.insert) { run in
            try run.bind(request.number.rawValue)
            try run.bind(plugin)
            try run.bind(identifier)
            try run.bind(request, submitter: submitter)
            try run.bind(payload.count)
        }
        if changes == 0 {
            try run(Request.removeReplacedPayload, plugin, identifier)
            try run(Request.replace) { run in
                try run.bind(request.number.rawValue)
                try run.bind(request, submitter: submitter)
                try run.bind(payload.count)
                try run.bind(plugin)
                try run.bind(identifier)
            }
        }
        try store(payload, of: request.number)
    }

    func removeRequest(_ number: SubmissionNumber) throws { try removeWork(number, by: Request.remove) }
}

extension Database {
    /// The pending requests of a plugin, ordered by number.
    ///
    /// - Parameter id: the number of the plugin's row.
    func pendingRequests(of plugin: PluginIdentifier, id: Int64) throws -> [PendingRequest] {
        var submitters = SubmitterNames(of: plugin, id: id, in: self)
        return try rows(Request.ofPlugin, [id], of: "request") { row in
            try row.request(
                try row.submission("number"),
                of: plugin,
                identifier: "identifier",
                submitters: &submitters
            )
        }
        // The table is ordered by identifier, and sorting in SQLite would copy every row.
        .sorted { $0.number < $1.number }
    }
}

enum Request {
    static let insert = StatementText(
        """
        INSERT INTO request (number, plugin, identifier, \(RequestColumns.list), payload_size)
        VALUES (?, ?, ?, \(RequestColumns.placeholders), ?)
        ON CONFLICT (plugin, identifier) DO NOTHING
        """
    )
    static let replace = StatementText(
        """
        UPDATE request SET number = ?, \(RequestColumns.assignments), payload_size = ?
        WHERE plugin = ? AND identifier = ?
        """
    )
    static let removeReplacedPayload = StatementText(
        "DELETE FROM payload WHERE submission = (SELECT number FROM request WHERE plugin = ? AND identifier = ?)"
    )
    static let remove = StatementText("DELETE FROM request WHERE number = ?")

    static let ofPlugin = "SELECT number, identifier, \(RequestColumns.list) FROM request WHERE plugin = ?"
}
