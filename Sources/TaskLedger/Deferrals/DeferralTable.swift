// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Replaces the stored deferral periods of a class of work. Throws when a period except the last one is open.
    func setDeferrals(_ key: WaitKey, _ periods: [DeferralPeriod], names: inout PluginNames) throws {
        if let open = periods.dropLast().firstIndex(where: { $0.until == nil }) {
            throw LedgerFault.contradiction(
                "deferral period \(open + 1) of \(periods.count) has no end, but is not the last one"
            )
        }
        let plugin = try names.number(of: key.plugin, in: self)
        let code = key.workClass.code
        try run(Deferral.removeOfClass, plugin, code)
        for (position, period) in periods.enumerated() {
            try run(Deferral.insert, plugin, code, position, period.since.nanoseconds, period.until?.nanoseconds)
        }
    }

    func forgetDeferrals(ofPlugin number: Int64) throws { try run(Deferral.forget, number) }
}

extension Database {
    /// The deferral periods of a plugin by class of work, oldest first.
    ///
    /// - Parameter id: the number of the plugin's row.
    func deferrals(ofPlugin id: Int64) throws -> [WorkClass: [DeferralPeriod]] {
        var deferrals: [WorkClass: [DeferralPeriod]] = [:]
        try forEachRow(Deferral.ofPlugin, [id], of: "deferral") { row in
            let period = DeferralPeriod(
                since: try row.wallTime("since"),
                until: try row.optionalWallTime("until")
            )
            deferrals[try row.workClass("class"), default: []].append(period)
        }
        return deferrals
    }

    /// Deletes the deferral periods of classes without pending work, because these periods can no longer affect a
    /// request.
    ///
    /// - Returns: the number of deleted periods.
    @discardableResult
    func removeVainDeferrals() throws -> Int {
        let classes = try rows(Deferral.classes, of: "deferral") { row in
            (plugin: try row.integer("plugin"), code: try row.integer("class"))
        }
        var removed = 0
        for (plugin, code) in classes where try !hasPendingWork(ofClass: code, plugin: plugin) {
            try run(Deferral.removeOfClass.sql, [plugin, code])
            removed += changesCount
        }
        return removed
    }
}

enum Deferral {
    static let insert = StatementText(
        "INSERT INTO deferral (plugin, class, position, since, until) VALUES (?, ?, ?, ?, ?)"
    )
    static let removeOfClass = StatementText("DELETE FROM deferral WHERE plugin = ? AND class = ?")
    static let forget = StatementText("DELETE FROM deferral WHERE plugin = ?")

    static let ofPlugin = """
        SELECT plugin, class, since, until FROM deferral WHERE plugin = ? ORDER BY class, position
        """
    static let classes = "SELECT DISTINCT plugin, class FROM deferral"
}
