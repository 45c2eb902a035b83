// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

extension Database {
    /// Runs a statement that stays prepared for the next time.
    func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func rows<Value>(
        _ sql: String,
        _ arguments: StatementArguments = StatementArguments(),
        of table: String,
        _ read: (inout RowReader) throws -> Value
    ) throws -> [Value] {
        let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try cursor.next() {
            var reader = RowReader(row, of: table)
            values.append(try read(&reader))
        }
        return values
    }
}
