// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CPostgreSQL

/// The result of one statement.
final class DatabaseResult {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var status: ExecStatusType { PQresultStatus(result) }

    var isTable: Bool { status == PGRES_TUPLES_OK }

    /// The first column of the first row; nil for NULL and without a row.
    var firstText: String? {
        guard PQntuples(result) > 0, PQnfields(result) > 0, PQgetisnull(result, 0, 0) == 0,
            let value = PQgetvalue(result, 0, 0)
        else { return nil }
        return String(cString: value)
    }

    /// The error of the statement; nil after success, and for a statement that did not run because of an earlier error.
    var failure: DatabaseFailure? {
        guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return nil }
        guard let state = bgp_state(result) else {
            return DatabaseFailure(.unreachable, DatabaseConnection.text(PQresultErrorMessage(result)))
        }
        let code = String(cString: state)
        let message = DatabaseConnection.text(bgp_message(result))
        let hint = bgp_hint(result).map { String(cString: $0) }
        if code == "57014" { return DatabaseFailure(.timeout, message, hint: hint) }
        // The server shuts down or starts, or another client ended the session.
        if code.hasPrefix("57P") || code.hasPrefix("08") { return DatabaseFailure(.unreachable, message, hint: hint) }
        return DatabaseFailure(.refused(state: code), message, hint: hint)
    }
}
