// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger

// Checks of the copies that hosts make before they upgrade the schema of a ledger.
extension HostCheck {
    /// Checks whether the next host can upgrade an older ledger.
    ///
    /// - Returns: a clause about the upgrade; empty when the ledger has the present version.
    mutating func checkUpgrade(of ledger: String, from version: Int64) -> String {
        guard version < LedgerInspection.knownVersion else { return "" }
        let copy = LedgerCopy(of: ledger, version: version)
        if let problem = copy.spaceProblem() { add(.problem, .ledger, problem.message) }
        return ", which the host copies to \(copy.path) and upgrades to \(LedgerInspection.knownVersion) at its start"
    }

    mutating func checkCopies(of ledger: String) {
        for copy in LedgerCopy.all(of: ledger) {
            add(
                .note,
                .ledger,
                "\(copy.path) is the copy before the upgrade from version \(copy.version), with its payloads: an older"
                    + " bgtaskd can start with it; delete it when no rollback is needed"
            )
        }
    }
}
