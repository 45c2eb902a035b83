// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// Reads of the ledger. Each read sees one committed state of the ledger, and blocks its caller until it is done.
extension Ledger {
    /// The state that the scheduler needs after a restart, without the pending work, which `work(of:)` reads.
    ///
    /// - Parameter now: the snapshot includes only past launches that ended in the week before this time; nil for past
    ///   launches of any age.
    package func snapshot(at now: WallTime? = nil) throws(LedgerError) -> LedgerSnapshot {
        try read("reading its snapshot") { try $0.snapshot(at: now) }
    }

    /// The errors of alerts whose rows are unreadable. The snapshot does not have these alerts.
    package func alertErrors() throws(LedgerError) -> [LedgerError] {
        let operation = "reading its alerts"
        return try read(operation) { database in
            try database.alertFaults().map { LedgerError($0, while: operation, in: place) }
        }
    }

    /// The plugins with a record of this host or earlier ones, sorted by identifier.
    package func knownPlugins() throws(LedgerError) -> [KnownPlugin] {
        try read("reading the recorded plugins") { try $0.knownPlugins() }
    }

    /// The pending work of a plugin; empty for an unknown plugin. Reads only the rows of that plugin, and no payloads.
    ///
    /// Throws `unreadable`, with table, row and column, for a row with an unknown value.
    package func work(of plugin: PluginIdentifier) throws(LedgerError) -> PluginWork {
        try read("reading the pending work of \(plugin)") { try $0.work(of: plugin) }
    }

    /// The snapshot and the pending work of all plugins, in one state of the ledger. Plugins are read in the order of
    /// their identifiers, until `mostWork` requests and events are read.
    package func wholeState(at now: WallTime, mostWork: Int) throws(LedgerError) -> WholeState {
        try read("reading its pending work") { database in
            var state = WholeState(snapshot: try database.snapshot(at: now))
            var left = mostWork
            for plugin in state.snapshot.pendingPlugins {
                if left <= 0 {
                    state.isCut = true
                    break
                }
                let work = try database.work(of: plugin)
                left -= work.requests.count + work.events.count
                state.work.append(work)
            }
            return state
        }
    }

    /// The payloads of the unfinished tasks of a launch by submission number, including empty payloads.
    package func payloads(ofLaunch number: LaunchNumber) throws(LedgerError) -> [SubmissionNumber: [UInt8]] {
        try read("reading the payloads of launch \(number)") { try $0.payloads(of: number) }
    }

    /// The pending requests of a main plugin with their payloads, ordered by number. They include the requests that its
    /// extensions, users and schedules submitted.
    package func pendingRequests(
        of plugin: PluginIdentifier
    ) throws(LedgerError) -> [(request: PendingRequest, payload: [UInt8])] {
        try read("reading the pending requests of \(plugin)") { database in
            try database.work(of: plugin).requests.map { ($0, try database.payload(ofPending: $0.number) ?? []) }
        }
    }

    /// The payload of an unfinished task of that launch; nil when there is no such task.
    package func payload(
        ofTask submission: SubmissionNumber,
        in launch: LaunchNumber
    ) throws(LedgerError) -> [UInt8]? {
        try read("reading the payload of submission \(submission) in launch \(launch)") {
            try $0.payload(of: submission, in: launch)
        }
    }

    /// The newest launches, newest first, at most `limit`: of one plugin or, when `plugin` is nil, of all plugins. If
    /// `before` is set, only launches with a lower number.
    package func launches(
        limit: Int,
        before: LaunchNumber? = nil,
        plugin: PluginIdentifier? = nil
    ) throws(LedgerError) -> [LaunchRecord] {
        try read("reading launches") { try $0.launches(limit: limit, before: before, plugin: plugin) }
    }

    /// The plugins that are to blame for the end of their newest launch, or for an outcome of a task in it. A plugin
    /// whose newest launch still runs is not among them.
    package func failing(among plugins: [PluginIdentifier]) throws(LedgerError) -> Set<PluginIdentifier> {
        try read("reading the newest launches") { database in Set(try plugins.filter(database.isFailing)) }
    }

    /// The launch with that number; nil when it never existed or was pruned.
    package func launch(_ number: LaunchNumber) throws(LedgerError) -> LaunchRecord? {
        try read("reading launch \(number)") { try $0.launch(number) }
    }

    package func journal(_ selection: JournalSelection) throws(LedgerError) -> [JournalRecord] {
        try read("reading the journal") { try $0.journal(selection) }
    }

    /// The selected waits, ordered by their start.
    package func waits(_ selection: WaitSelection) throws(LedgerError) -> [WaitRecord] {
        try read("reading the waits of \(selection.key.plugin)") { try $0.waits(selection) }
    }

    /// The period in which a task was pending before it ran in the launch; nil when the launch was pruned, or never had
    /// the task.
    package func pendingSpan(
        ofTask submission: SubmissionNumber,
        in launch: LaunchNumber
    ) throws(LedgerError) -> PendingSpan? {
        try read("reading the task of submission \(submission) in launch \(launch)") {
            try $0.pendingSpan(ofTask: submission, in: launch)
        }
    }

    /// The period in which the newest task with a journaled outcome was pending before its launch; nil when no such
    /// task exists, or its launch was pruned.
    ///
    /// - Parameters:
    ///   - label: the task identifier, or the name of an event.
    ///   - plugin: the plugin that received an event. It is needed because the events of all plugins have the same
    ///     names.
    package func pendingSpan(
        ofNewestTask label: String,
        plugin: PluginIdentifier? = nil
    ) throws(LedgerError) -> PendingSpan? {
        try read("reading the newest task \(label)") { try $0.pendingSpan(ofNewestTask: label, plugin: plugin) }
    }

    /// The number of the newest journal entry; 0 for an empty journal.
    package func newestJournalNumber() throws(LedgerError) -> JournalNumber {
        let newest = JournalSelection(newestFirst: true, limit: 1)
        return try read("reading the journal") { try $0.journal(newest).first?.number ?? JournalNumber(rawValue: 0) }
    }

    /// The notifications with numbers above `number`, oldest first, at most `limit`.
    package func notifications(
        after number: NotificationNumber?,
        limit: Int
    ) throws(LedgerError) -> [NotificationRecord] {
        try read("reading notifications") { try $0.notifications(after: number, limit: limit) }
    }

    /// The newest notifications, oldest of them first, at most `limit`.
    package func newestNotifications(limit: Int) throws(LedgerError) -> [NotificationRecord] {
        try read("reading notifications") { try $0.newestNotifications(limit: limit) }
    }

    /// The numbers of the oldest and the newest notification that the ledger has; nil without any.
    package func notificationRange() throws(LedgerError) -> ClosedRange<NotificationNumber>? {
        try read("reading notifications") { try $0.notificationRange() }
    }

    /// The state of a host that restarts now, with its pending work.
    package struct WholeState: Sendable {
        package let snapshot: LedgerSnapshot
        package fileprivate(set) var work: [PluginWork] = []
        /// Whether the work of some plugins is missing, because there is too much of it.
        package fileprivate(set) var isCut = false
    }

    func read<Value>(
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
        let counters = try rows("SELECT id, submission, launch FROM counter", of: "counter") { row in
            (submission: try row.submission("submission"), launch: try row.launch("launch"))
        }
        guard let last = counters.first else { throw LedgerFault.damaged("table counter has no row") }
        return LedgerSnapshot(
            pendingPlugins: try pendingPlugins(),
            running: try runningLaunches(),
            known: try knownPlugins(),
            past: try pastLaunches(since: now.map { $0 + (.zero - week) } ?? WallTime(nanoseconds: .min)),
            fetches: try fetchSchedules(),
            occurrences: try occurrences(),
            pauses: try pauses(),
            uses: try uses(),
            pushSums: try pushSums(),
            pushAnswers: try pushAnswers(at: now),
            pushTokenHolders: try pushTokenHolders(),
            alerts: try pendingAlerts(),
            leases: try leases(),
            lastSubmission: last.submission,
            lastLaunch: last.launch
        )
    }
}
