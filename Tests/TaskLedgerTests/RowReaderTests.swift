// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Rows are read by the names of their columns")
struct RowReaderTests {
    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { database in
            try database.execute(sql: "CREATE TABLE song (number INTEGER, title TEXT, plays INTEGER, cover BLOB)")
            try database.execute(sql: "INSERT INTO song VALUES (7, 'Blue', NULL, x'0102')")
        }
    }

    private func read<Value>(_ columns: String, _ body: @escaping (inout RowReader) throws -> Value) throws -> [Value] {
        try database.read { try $0.rows("SELECT \(columns) FROM song", of: "song", body) }
    }

    @Test(arguments: ["number, title, plays, cover", "cover, plays, title, number", "title, cover, number, plays"])
    func `the columns of a row are read by name, independently of the order of selection`(columns: String) throws {
        let values = try read(columns) { row in
            (try row.text("title"), try row.bytes("cover"), try row.integer("number"), try row.isNull("plays"))
        }
        #expect(values.count == 1)
        #expect(values[0].0 == "Blue" && values[0].1 == [1, 2] && values[0].2 == 7 && values[0].3)
        let again = try read(columns) { row in
            (try row.optional("plays") { try $0.count($1) }, try row.integer("number"), try row.integer("number"))
        }
        #expect(again[0].0 == nil && again[0].1 == 7 && again[0].2 == 7)
    }

    @Test func `reading a column that was not selected fails with the names of table and column`() throws {
        let fault = #expect(throws: LedgerFault.self) { _ = try read("number") { try $0.text("title") } }
        guard case .missingColumn("song", "title") = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
    }

    @Test func `reading a column that the table lacks fails with the names of table and column`() throws {
        let fault = #expect(throws: LedgerFault.self) { _ = try read("number, song.artist") { try $0.text("artist") } }
        guard case .missingColumn("song", "artist") = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(throws: DatabaseError.self) { _ = try read("number FROM nowhere, ") { try $0.integer("number") } }
    }

    @Test func `reading a value of another type fails with the names of table, row and column`() throws {
        for (column, found) in [("title", "\"Blue\""), ("plays", "nothing")] {
            let fault = #expect(throws: LedgerFault.self) {
                _ = try read("number, \(column)") { try $0.integer(column) }
            }
            guard case .unreadable("song", "number 7", column, found) = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
        }
    }
}
