// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

/// The SQL of a statement that the writer keeps prepared. A prepared statement is found by this object's identity:
/// looking it up by its text would hash some hundred bytes for every row that is written.
final class StatementText: Sendable {
    let sql: String
    /// Number of placeholders, each of which is a bare question mark.
    let placeholders: Int

    init(_ sql: String) {
        self.sql = sql
        placeholders = sql.utf8.count { $0 == UInt8(ascii: "?") }
    }
}

/// The prepared statements of the writer's connection.
///
/// Unchecked: a statement is used, prepared and released only while its connection is accessed, and the connection
/// admits one access at a time.
final class PreparedStatements: @unchecked Sendable {
    private var statements: [ObjectIdentifier: Statement] = [:]

    func statement(_ text: StatementText, in database: Database) throws -> Statement {
        if let known = statements[ObjectIdentifier(text)] { return known }
        let statement = try database.makeStatement(sql: text.sql)
        statements[ObjectIdentifier(text)] = statement
        return statement
    }

    /// Finalizes a statement; the next run prepares it again.
    func discard(_ text: StatementText) { statements[ObjectIdentifier(text)] = nil }

    /// Finalizes the statements: their connection cannot be closed before.
    func release() { statements = [:] }
}
