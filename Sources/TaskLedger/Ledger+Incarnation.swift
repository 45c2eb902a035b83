// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

// The incarnation of a ledger: a number that rises when the ledger is restored from a backup. Numbers of submissions,
// launches and journal entries are unique only within one incarnation.
extension Ledger {
    /// The incarnation; 1 for a ledger that was never restored. Blocks until it is read.
    package func incarnation() throws(LedgerError) -> Int64 {
        try read("reading its incarnation") { try $0.incarnation() }
    }
}

extension Database {
    func incarnation() throws -> Int64 {
        let found = try rows("SELECT id, incarnation FROM counter", of: "counter") { try $0.integer("incarnation") }
        guard let incarnation = found.first else { throw LedgerFault.damaged("table counter has no row") }
        return incarnation
    }
}

extension LedgerSchema {
    /// The twelfth migration: the incarnation.
    static let twelfth = "ALTER TABLE counter ADD COLUMN incarnation INTEGER NOT NULL DEFAULT 1;"
}
