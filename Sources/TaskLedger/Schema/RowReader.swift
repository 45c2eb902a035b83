// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

/// Reads one row from its first column to its last, and names table and row when a value is unknown. Never traps.
struct RowReader {
    private let row: Row
    private let table: String
    private var index = 0

    /// The first column must tell the row from others.
    init(_ row: Row, of table: String) {
        self.row = row
        self.table = table
    }

    mutating func integer() throws -> Int64 {
        let storage = next()
        guard case .int64(let value) = storage else { throw unreadable(storage) }
        return value
    }

    mutating func text() throws -> String {
        let storage = next()
        guard case .string(let value) = storage else { throw unreadable(storage) }
        return value
    }

    mutating func optionalText() throws -> String? { nextIsNull() ? nil : try text() }

    mutating func bytes() throws -> [UInt8] {
        let storage = next()
        guard case .blob(let data) = storage else { throw unreadable(storage) }
        return Array(data)
    }

    mutating func flag() throws -> Bool { try integer() != 0 }

    mutating func skip(_ columns: Int) { index += columns }

    /// A value that not every number or text stands for.
    mutating func value<Stored, Value>(
        _ read: (inout Self) throws -> Stored,
        _ make: (Stored) -> Value?
    ) throws -> Value {
        let stored = try read(&self)
        guard let value = make(stored) else { throw unreadable("\"\(stored)\"") }
        return value
    }

    /// Moves past the column if it holds nothing.
    mutating func nextIsNull() -> Bool {
        guard (row[index] as DatabaseValue).isNull else { return false }
        index += 1
        return true
    }

    private mutating func next() -> DatabaseValue.Storage {
        precondition(index < row.count, "a row must be read with the columns that were selected")
        defer { index += 1 }
        return (row[index] as DatabaseValue).storage
    }

    private func unreadable(_ storage: DatabaseValue.Storage) -> LedgerFault {
        unreadable(storage.value.map { "\"\($0)\"" } ?? "nothing")
    }

    /// About the column that was read last.
    private func unreadable(_ found: String) -> LedgerFault {
        let names = Array(row.columnNames)
        let key = (row[0] as DatabaseValue).storage.value.map { "\($0)" } ?? "?"
        return .unreadable(table: table, row: "\(names[0]) \(key)", column: names[max(0, index - 1)], found: found)
    }
}

extension RowReader {
    mutating func code<Value: RawRepresentable<UInt32>>(_ type: Value.Type = Value.self) throws -> Value {
        try value({ try $0.integer() }, { UInt32(exactly: $0).flatMap(Value.init(rawValue:)) })
    }

    mutating func optionalCode<Value: RawRepresentable<UInt32>>(_ type: Value.Type = Value.self) throws -> Value? {
        guard !nextIsNull() else { return nil }
        return try code(type)
    }

    mutating func name<Value: RawRepresentable<String>>(_ type: Value.Type = Value.self) throws -> Value {
        try value({ try $0.text() }, Value.init(rawValue:))
    }

    mutating func plugin() throws -> PluginIdentifier {
        try value({ try $0.text() }, { PluginIdentifier($0) })
    }

    mutating func wallTime() throws -> WallTime { WallTime(nanoseconds: try integer()) }

    mutating func optionalWallTime() throws -> WallTime? { nextIsNull() ? nil : try wallTime() }

    mutating func duration() throws -> Duration { .nanoseconds(try integer()) }

    mutating func submission() throws -> SubmissionNumber { SubmissionNumber(rawValue: try integer()) }

    mutating func launch() throws -> LaunchNumber { LaunchNumber(rawValue: try integer()) }

    mutating func submitter() throws -> Submitter {
        if nextIsNull() { return .person }
        return try value({ try $0.text() }) { name in
            name == PluginNames.schedule ? .schedule : PluginIdentifier(name).map { .plugin($0) }
        }
    }

    mutating func count() throws -> Int {
        try value({ try $0.integer() }, { Int(exactly: $0) })
    }

    mutating func retry() throws -> Retry {
        Retry(
            attempts: try count(),
            notBefore: try optionalWallTime(),
            runsAlone: try flag(),
            wasInterrupted: try flag()
        )
    }
}
