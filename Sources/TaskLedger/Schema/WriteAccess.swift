// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

/// One access to the writer's connection, with the prepared statements of the connection. Valid only during that
/// access.
struct WriteAccess {
    let database: Database
    private let statements: PreparedStatements

    init(_ database: Database, _ statements: PreparedStatements) {
        self.database = database
        self.statements = statements
    }

    /// Number of rows that the last statement inserted, updated or deleted.
    var changes: Int { database.changesCount }

    /// Runs a statement with the values of its placeholders, in order.
    func run<each Value: StatementBinding>(_ text: StatementText, _ values: repeat each Value) throws {
        try perform(text, { run in repeat try run.bind(each values) }) { try $0.execute() }
    }

    /// Runs a statement whose values `bind` adds one by one.
    func run(_ text: StatementText, _ bind: (inout StatementRun) throws -> Void) throws {
        try perform(text, bind) { try $0.execute() }
    }

    /// Runs a query and returns the first column of the first row; nil without a row, and for NULL.
    func integer<each Value: StatementBinding>(
        _ text: StatementText,
        _ values: repeat each Value
    ) throws -> Int64? {
        try perform(text, { run in repeat try run.bind(each values) }) { try Int64.fetchOne($0) }
    }

    /// Runs a query and returns the first column of every row.
    func texts<each Value: StatementBinding>(_ text: StatementText, _ values: repeat each Value) throws -> [String] {
        try perform(text, { run in repeat try run.bind(each values) }) { try String.fetchAll($0) }
    }

    private func perform<Result>(
        _ text: StatementText,
        _ bind: (inout StatementRun) throws -> Void,
        _ body: (Statement) throws -> Result
    ) throws -> Result {
        do {
            var run = try StatementRun(text, statements.statement(text, in: database))
            try bind(&run)
            return try body(try run.ready())
        } catch {
            // A failed statement would report its failure again when it is reset for the next run.
            statements.discard(text)
            throw error
        }
    }
}

/// One run of a prepared statement, whose values are bound one by one. An array of boxed arguments would cost as much
/// as writing the row.
struct StatementRun {
    private let text: StatementText
    private let statement: Statement
    private var bound = 0

    fileprivate init(_ text: StatementText, _ statement: Statement) {
        self.text = text
        self.statement = statement
        // Resets the statement and clears the values of its last run.
        statement.setUncheckedArguments(StatementArguments())
    }

    /// Binds the value of the next placeholder.
    mutating func bind(_ value: some StatementBinding) throws {
        bound += 1
        let code = value.bind(to: statement.sqliteStatement, at: CInt(bound))
        guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code), sql: text.sql) }
    }

    /// The statement with all values bound. Throws when the number of values does not match the placeholders.
    fileprivate func ready() throws -> Statement {
        guard bound == text.placeholders else {
            throw LedgerFault.contradiction(
                "a statement has \(text.placeholders) placeholders, but \(bound) bound values: \(text.sql)"
            )
        }
        return statement
    }
}
