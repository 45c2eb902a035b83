// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import Scheduling
import ServiceLifecycle
import TaskLedger
import TaskModel

// Replies from the ledger: launches and the journal.
extension ControlRoutes {
    func launchList(_ query: LaunchQuery) async throws -> LaunchListReply {
        // One launch more than the page: if it exists, another page follows.
        var records = try await recorded {
            try $0.launches(limit: query.limit + 1, before: query.after, plugin: query.plugin)
        }
        let hasMore = records.count > query.limit
        if hasMore { records.removeLast() }
        if records.isEmpty, let plugin = query.plugin { try await requireInstalled(plugin) }
        let running = try await running()
        return LaunchListReply(
            launches: records.map { LaunchReply($0, running: running[$0.number], journal: []) },
            next: hasMore ? records.last?.number : nil
        )
    }

    func launch(_ text: String) async throws -> LaunchReply {
        let number = try LaunchNumber(validating: text)
        let found = try await recorded { ledger in
            try ledger.launch(number).map { record in
                let entries = JournalSelection(filter: JournalFilter(launch: number), limit: 10_000)
                return (record, try ledger.journal(entries))
            }
        }
        guard let (record, journal) = found else { throw RouteError.noSuchLaunch(number) }
        var reply = LaunchReply(record, running: try await running()[number], journal: journal)
        let cursors = try await cursors(of: reply.tasks.compactMap(\.identifier))
        for index in reply.tasks.indices {
            reply.tasks[index].cursor = cursors[reply.plugin, reply.tasks[index].identifier]
        }
        return reply
    }

    /// The values of a running launch that the ledger does not contain.
    struct Running: Sendable {
        let used: Duration
        let assertions: [String]
        let isStopping: Bool
    }

    private func running() async throws -> [LaunchNumber: Running] {
        try await read { scheduler, now in
            Dictionary(
                scheduler.runningLaunches.map { launch in
                    let used = launch.plan.budget.used(at: now.monotonic)
                    let running = Running(used: used, assertions: launch.assertions, isStopping: launch.isStopping)
                    return (launch.plan.number, running)
                },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }

    func journalQuery(_ parameters: QueryParameters) async throws -> JournalQuery {
        // The host's own clock, which also stamped the entries.
        let now = try await read { _, now in now.wall }
        return try JournalQuery(reading: parameters.value, now: now)
    }

    func journal(_ query: JournalQuery) async throws -> Response {
        if query.isFollowing { return try await followJournal(query) }
        let after = query.after.map(JournalNumber.init(rawValue:))
        let selection = JournalSelection(
            after: after,
            before: query.before.map(JournalNumber.init(rawValue:)),
            filter: query.filter,
            newestFirst: after == nil,
            limit: query.limit
        )
        let (newest, records) = try await recorded { ledger in
            // Read first: an entry written between both reads is then part of the next query.
            (try ledger.newestJournalNumber(), try ledger.journal(selection))
        }
        if records.isEmpty { try await requireKnown(query.filter) }
        let lines = (after == nil ? records.reversed() : records).map(JournalLine.init)
        let isComplete = after == nil || lines.count < query.limit
        let last = max(lines.last?.number ?? query.after ?? 0, isComplete ? newest.rawValue : 0)
        return Response(json: JournalReply(entries: lines, last: last))
    }

    /// Streams the journal as one line per entry, until the caller disconnects or the host stops.
    private func followJournal(_ query: JournalQuery) async throws -> Response {
        // Following starts before the first read, so that no entry written in between is missed.
        let appends = ledger.journalAppends()
        let newest = if let start = query.after { start } else { try await newestEntry() }
        let body = ResponseBody { writer in
            var selection = JournalSelection(
                after: JournalNumber(rawValue: newest),
                filter: query.filter,
                limit: 500
            )
            // The response head is sent with the first bytes. An empty chunk shows a waiting caller that the request
            // was accepted.
            try await writer.write(ByteBuffer())
            while let lines = try await lines(&selection) { try await writer.write(lines) }
            for await appended in appends.cancelOnGracefulShutdown() {
                while let lines = try await lines(&selection) { try await writer.write(lines) }
                // Entries that the filter excluded are not read again.
                selection.after = max(selection.after ?? appended, appended)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/x-ndjson"], body: body)
    }

    private func newestEntry() async throws -> Int64 {
        try await recorded { try $0.newestJournalNumber().rawValue }
    }

    /// The lines of the next journal entries that the selection matches; nil when there are no newer entries. Advances
    /// the selection past these entries.
    private func lines(_ selection: inout JournalSelection) async throws -> ByteBuffer? {
        let next = selection
        let records = try await recorded { try $0.journal(next) }
        guard let newest = records.last?.number else { return nil }
        selection.after = newest
        var buffer = ByteBuffer()
        for record in records {
            buffer.writeBytes(try WireCoding.encode(JournalLine(record)))
            buffer.writeString("\n")
        }
        return buffer
    }
}

extension JournalLine {
    init(_ record: JournalRecord) {
        self.init(
            number: record.number.rawValue,
            at: record.at,
            event: record.event,
            plugin: record.plugin,
            launch: record.launch,
            task: record.label,
            submission: record.submission,
            blame: record.blame,
            message: record.message,
            successor: record.successor,
            count: record.count,
            user: record.user,
            claim: record.claim,
            isLeaseLost: record.isLeaseLost
        )
    }
}

extension LaunchReply {
    /// Creates the reply about a launch.
    ///
    /// - Parameters:
    ///   - running: values of the running launch; nil when the launch has ended, even before that is recorded.
    ///   - journal: entries of the launch, from which blame, message and end time of each task are taken. These are nil
    ///     for a task without an entry; its outcome comes from the record.
    init(_ record: LaunchRecord, running: ControlRoutes.Running?, journal: [JournalRecord]) {
        self.init(
            launch: record.number,
            plugin: record.plugin,
            lane: record.lane,
            cause: record.cause,
            pid: record.process.pid,
            startedAt: record.startedAt,
            budget: record.budget,
            gracePeriod: record.gracePeriod,
            used: running?.used,
            end: record.end,
            manifestDigest: record.manifestDigest,
            tasks: record.tasks.map { task in
                let entry = journal.last { $0.submission == task.submission && $0.event == task.outcome?.rawValue }
                return .init(
                    task: task.label,
                    kind: task.kind,
                    submission: task.submission,
                    outcome: task.outcome,
                    blame: entry?.blame,
                    message: entry?.message,
                    endedAt: entry?.at,
                    submitter: task.submitter,
                    submittedAt: task.submittedAt,
                    earliestBegin: task.earliestBegin
                )
            },
            assertions: record.end == nil ? running?.assertions : nil,
            isStopping: record.end == nil ? running?.isStopping : nil
        )
    }
}
