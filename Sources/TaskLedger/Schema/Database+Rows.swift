// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

extension Database {
    /// Runs a statement and keeps it prepared for the next run.
    func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The values that `read` returns for the rows of the statement.
    ///
    /// - Parameter table: the table's name for error messages, in which the first selected column identifies the row.
    func rows<Value>(
        _ sql: String,
        _ arguments: StatementArguments = StatementArguments(),
        of table: String,
        _ read: (inout RowReader) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEachRow(sql, arguments, of: table) { row in values.append(try read(&row)) }
        return values
    }

    /// The values that `read` returns for the readable rows of the statement, and the faults of all others.
    ///
    /// - Parameter table: the table's name for error messages.
    func readableRows<Value>(
        _ sql: String,
        of table: String,
        _ read: (inout RowReader) throws -> Value
    ) throws -> (values: [Value], faults: [LedgerFault]) {
        var (values, faults): ([Value], [LedgerFault]) = ([], [])
        try forEachRow(sql, of: table) { row in
            do {
                values.append(try read(&row))
            } catch let fault as LedgerFault {
                // A missing column is no fault of the row.
                guard case .unreadable = fault else { throw fault }
                faults.append(fault)
            }
        }
        return (values, faults)
    }

    /// Calls `read` for every row of the statement.
    ///
    /// - Parameter table: the table's name for error messages.
    func forEachRow(
        _ sql: String,
        _ arguments: StatementArguments = StatementArguments(),
        of table: String,
        _ read: (inout RowReader) throws -> Void
    ) throws {
        let statement = try prepared(sql, of: table)
        let columns = statement.columnNames
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        while try cursor.next() != nil {
            var reader = RowReader(statement, columns: columns, of: table)
            try read(&reader)
        }
    }

    private func prepared(_ sql: String, of table: String) throws -> Statement {
        do {
            return try cachedStatement(sql: sql)
        } catch let error as DatabaseError {
            // SQLite's only indication of a column that another program has renamed or dropped.
            let hint = "no such column: "
            guard let message = error.message, message.hasPrefix(hint) else { throw error }
            let column = message.dropFirst(hint.count).split(separator: ".").last.map(String.init) ?? "?"
            throw LedgerFault.missingColumn(table: table, column: column)
        }
    }
}
