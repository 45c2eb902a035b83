// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// Every read sees one moment of the ledger, without what is not committed yet, and blocks its caller until it is done.
extension Ledger {
    /// All that the core needs to go on after a restart.
    ///
    /// - Parameter now: past launches are those that ended within the week before it; without it they are of any age.
    package func snapshot(at now: WallTime? = nil) throws(LedgerError) -> LedgerSnapshot {
        try read("reading what is pending and running") { try $0.snapshot(at: now) }
    }

    /// What the unfinished tasks of a launch carry.
    package func payloads(ofLaunch number: LaunchNumber) throws(LedgerError) -> [SubmissionNumber: [UInt8]] {
        try read("reading the payloads of launch \(number)") { try $0.payloads(of: number) }
    }

    /// What one task of a launch carries; nil unless it runs in it.
    package func payload(
        ofTask submission: SubmissionNumber,
        in launch: LaunchNumber
    ) throws(LedgerError) -> [UInt8]? {
        try read("reading the payload of task \(submission) of launch \(launch)") {
            try $0.payload(of: submission, in: launch)
        }
    }

    /// Newest first; with `before` only launches with a lower number.
    package func launches(
        limit: Int,
        before: LaunchNumber? = nil,
        plugin: PluginIdentifier? = nil
    ) throws(LedgerError) -> [LaunchRecord] {
        try read("reading launches") { try $0.launches(limit: limit, before: before, plugin: plugin) }
    }

    /// Whom the end of each plugin's newest launch is put down to. A plugin whose newest launch runs, and one without
    /// launches, is absent.
    package func lastBlames(of plugins: [PluginIdentifier]) throws(LedgerError) -> [PluginIdentifier: Blame] {
        try read("reading the newest launches") { database in
            try plugins.reduce(into: [:]) { $0[$1] = try database.lastBlame(of: $1) }
        }
    }

    /// Nil when there was no such launch, or it was pruned.
    package func launch(_ number: LaunchNumber) throws(LedgerError) -> LaunchRecord? {
        try read("reading launch \(number)") { try $0.launch(number) }
    }

    package func journal(_ selection: JournalSelection) throws(LedgerError) -> [JournalRecord] {
        try read("reading the journal") { try $0.journal(selection) }
    }

    /// What a submission waited for, in the order in which it began to; the oldest go where the limit does not hold all.
    package func waits(_ selection: WaitSelection) throws(LedgerError) -> [WaitRecord] {
        try read("reading what \(selection.label) waited for") { try $0.waits(selection) }
    }

    /// 0 for an empty journal.
    package func newestJournalNumber() throws(LedgerError) -> JournalNumber {
        let newest = JournalSelection(newestFirst: true, limit: 1)
        return try read("reading the journal") { try $0.journal(newest).first?.number ?? JournalNumber(rawValue: 0) }
    }

    private func read<Value>(
        _ operation: String,
        _ body: (Database) throws -> Value
    ) throws(LedgerError) -> Value {
        do {
            return try database.read(body)
        } catch {
            throw LedgerError(error, while: operation, in: place)
        }
    }
}

extension Database {
    func snapshot(at now: WallTime?) throws -> LedgerSnapshot {
        let week: Duration = .seconds(7 * 24 * 60 * 60)
        return LedgerSnapshot(
            requests: try pendingRequests(),
            events: try pendingEvents(),
            running: try runningLaunches(),
            known: try knownPlugins(),
            past: try pastLaunches(since: now.map { $0 + (.zero - week) } ?? WallTime(nanoseconds: .min)),
            waits: try openWaits(),
            fetches: try fetchSchedules(),
            occasions: try occasions(),
            lastSubmission: SubmissionNumber(rawValue: try counter("submission")),
            lastLaunch: LaunchNumber(rawValue: try counter("launch"))
        )
    }

    private func counter(_ name: String) throws -> Int64 {
        let sql = "SELECT name, last FROM counter WHERE name = ?"
        let last = try rows(sql, [name], of: "counter") { row in
            _ = try row.text()
            return try row.integer()
        }
        guard let last = last.first else {
            throw LedgerFault.contradiction("table counter has no row \"\(name)\"")
        }
        return last
    }
}
