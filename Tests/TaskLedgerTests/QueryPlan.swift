// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

@testable import TaskLedger

extension Ledger {
    /// The query plan of SQLite for a statement, one element for each step.
    func queryPlan(_ sql: String, _ arguments: StatementArguments) throws -> [String] {
        try database.read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
                .map { String($0["detail"] ?? "") }
        }
    }
}
