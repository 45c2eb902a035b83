// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger

// Checks of the copies that hosts make before they upgrade the schema of a ledger.
extension HostCheck {
    /// Checks whether a host that starts next has the space for the copy that precedes the upgrade of an older ledger.
    ///
    /// - Returns: a clause about the upgrade; empty when the ledger has the present version.
    mutating func checkUpgrade(of ledger: String, from version: Int64) -> String {
        guard version < LedgerInspection.knownVersion else { return "" }
        let copy = LedgerCopy(of: ledger, version: version)
        if let problem = copy.spaceProblem() { add(.problem, .ledger, problem.message) }
        return "; at its start, the host copies the ledger to \(copy.path), and upgrades the ledger to version"
            + " \(LedgerInspection.knownVersion)"
    }

    mutating func checkCopies(of ledger: String) {
        for copy in LedgerCopy.all(of: ledger) {
            add(
                .note,
                .ledger,
                "\(copy.path) is a copy of the ledger from before its upgrade from version \(copy.version), and"
                    + " contains private payloads; an older bgtaskd can start with this copy in place of the ledger;"
                    + " delete the copy when no rollback is needed"
            )
        }
    }
}
