// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

/// Reads the columns of one row by name, in any order. An unknown value throws an error with table, row and column; a
/// missing column throws an error with table and column. It never traps.
struct RowReader {
    private let statement: Statement
    private let columns: [String]
    private let table: String
    /// Index after the column that was read last. The search for a column begins here, because rows are mostly read in
    /// the order of their selection.
    private var next = 0

    /// Creates a reader of the current row.
    ///
    /// - Parameter statement: a statement positioned at the row. Its first column identifies the row in messages.
    init(_ statement: Statement, columns: [String], of table: String) {
        self.statement = statement
        self.columns = columns
        self.table = table
    }

    mutating func integer(_ column: String) throws -> Int64 {
        let storage = try storage(of: column)
        guard case .int64(let value) = storage else { throw unreadable(column, storage) }
        return value
    }

    mutating func text(_ column: String) throws -> String {
        let storage = try storage(of: column)
        guard case .string(let value) = storage else { throw unreadable(column, storage) }
        return value
    }

    mutating func bytes(_ column: String) throws -> [UInt8] {
        let storage = try storage(of: column)
        guard case .blob(let data) = storage else { throw unreadable(column, storage) }
        return Array(data)
    }

    mutating func flag(_ column: String) throws -> Bool { try integer(column) != 0 }

    mutating func isNull(_ column: String) throws -> Bool {
        if case .null = try storage(of: column) { true } else { false }
    }

    /// The result of `read` for the column; nil for NULL.
    mutating func optional<Value>(
        _ column: String,
        _ read: (inout Self, String) throws -> Value
    ) throws -> Value? {
        try isNull(column) ? nil : try read(&self, column)
    }

    /// The value that `make` creates from the text in the column. Throws when `make` returns nil.
    mutating func value<Value>(_ column: String, fromText make: (String) -> Value?) throws -> Value {
        let stored = try text(column)
        guard let value = make(stored) else { throw unreadable(column, "\"\(stored)\"") }
        return value
    }

    /// The value that `make` creates from the integer in the column. Throws when `make` returns nil.
    mutating func value<Value>(_ column: String, fromInteger make: (Int64) -> Value?) throws -> Value {
        let stored = try integer(column)
        guard let value = make(stored) else { throw unreadable(column, "\"\(stored)\"") }
        return value
    }

    // MARK: - Columns and errors

    private mutating func storage(of column: String) throws -> DatabaseValue.Storage {
        let index = try index(of: column)
        next = index + 1
        return DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt(index)).storage
    }

    private func index(of column: String) throws -> Int {
        // The previous column is read again after `isNull`.
        for index in next - 1...next where columns.indices.contains(index) && columns[index] == column { return index }
        guard let index = columns.firstIndex(of: column) else {
            throw LedgerFault.missingColumn(table: table, column: column)
        }
        return index
    }

    private func unreadable(_ column: String, _ storage: DatabaseValue.Storage) -> LedgerFault {
        unreadable(column, storage.value.map { "\"\($0)\"" } ?? "nothing")
    }

    private func unreadable(_ column: String, _ found: String) -> LedgerFault {
        let key = DatabaseValue(sqliteStatement: statement.sqliteStatement, index: 0).storage.value.map { "\($0)" }
        return .unreadable(table: table, row: "\(columns[0]) \(key ?? "?")", column: column, found: found)
    }
}

extension RowReader {
    mutating func code<Value: RawRepresentable<UInt32>>(_ column: String, _ type: Value.Type = Value.self) throws
        -> Value
    {
        try value(column, fromInteger: { UInt32(exactly: $0).flatMap(Value.init(rawValue:)) })
    }

    mutating func name<Value: RawRepresentable<String>>(_ column: String, _ type: Value.Type = Value.self) throws
        -> Value
    {
        try value(column, fromText: Value.init(rawValue:))
    }

    mutating func plugin(_ column: String = "identifier") throws -> PluginIdentifier {
        try value(column, fromText: { PluginIdentifier($0) })
    }

    mutating func wallTime(_ column: String) throws -> WallTime { WallTime(nanoseconds: try integer(column)) }

    mutating func optionalWallTime(_ column: String) throws -> WallTime? {
        try optional(column) { try $0.wallTime($1) }
    }

    mutating func optionalText(_ column: String) throws -> String? { try optional(column) { try $0.text($1) } }

    mutating func duration(_ column: String) throws -> Duration { .nanoseconds(try integer(column)) }

    mutating func optionalDuration(_ column: String) throws -> Duration? {
        try optional(column) { try $0.duration($1) }
    }

    mutating func submission(_ column: String) throws -> SubmissionNumber {
        SubmissionNumber(rawValue: try integer(column))
    }

    mutating func launch(_ column: String) throws -> LaunchNumber { LaunchNumber(rawValue: try integer(column)) }

    mutating func count(_ column: String) throws -> Int { try value(column, fromInteger: { Int(exactly: $0) }) }

    mutating func workClass(_ column: String) throws -> WorkClass {
        try value(column, fromInteger: WorkClass.init(code:))
    }
}
