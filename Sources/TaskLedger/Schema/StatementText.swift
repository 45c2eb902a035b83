// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

/// The SQL of a statement that the writer keeps prepared. The prepared statement is found by the identity of this
/// object: a lookup by the SQL text would hash hundreds of bytes for every written row.
final class StatementText: Sendable {
    let sql: String
    /// Number of placeholders; each one is a bare question mark.
    let placeholders: Int

    init(_ sql: String) {
        self.sql = sql
        placeholders = sql.utf8.count { $0 == UInt8(ascii: "?") }
    }
}

/// The prepared statements of the writer's connection.
///
/// `@unchecked Sendable` is safe: statements are prepared, used and released only during access to the connection, and
/// the connection admits one access at a time.
final class PreparedStatements: @unchecked Sendable {
    private var statements: [ObjectIdentifier: Statement] = [:]

    func statement(_ text: StatementText, in database: Database) throws -> Statement {
        if let known = statements[ObjectIdentifier(text)] { return known }
        let statement = try database.makeStatement(sql: text.sql)
        statements[ObjectIdentifier(text)] = statement
        return statement
    }

    /// Finalizes the prepared statement for `text`. The next run prepares it again.
    func discard(_ text: StatementText) { statements[ObjectIdentifier(text)] = nil }

    /// Finalizes all statements, which is required before the connection is closed.
    func release() { statements = [:] }
}
