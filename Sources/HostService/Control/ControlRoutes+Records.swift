// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import Scheduling
import ServiceLifecycle
import TaskLedger
import TaskModel

// What the ledger remembers: launches and the journal.
extension ControlRoutes {
    func launchList(_ query: LaunchQuery) async throws -> LaunchListReply {
        let plugin = try query.plugin.map { text throws(ControlRefusal) in
            guard let plugin = PluginIdentifier(text) else { throw ControlRefusal.malformedIdentifier(text) }
            return plugin
        }
        let records = try await recorded { try $0.launches(limit: query.limit, plugin: plugin) }
        let running = try await running()
        return LaunchListReply(
            launches: records.map { LaunchReply($0, running: running[$0.number] ?? Running(), journal: []) }
        )
    }

    func launch(_ text: String) async throws -> LaunchReply {
        guard let value = Int64(text), value > 0 else { throw ControlRefusal.noSuchLaunch(text) }
        let number = LaunchNumber(rawValue: value)
        let found = try await recorded { ledger in
            try ledger.launch(number).map { ($0, try ledger.journal(JournalSelection(launch: number, limit: 10_000))) }
        }
        guard let (record, journal) = found else { throw ControlRefusal.noSuchLaunch(text) }
        return LaunchReply(record, running: try await running()[number] ?? Running(), journal: journal)
    }

    /// What only the host knows of a launch, and only while it runs.
    struct Running: Sendable {
        var used: Duration = .zero
        var assertions: [String] = []
    }

    private func running() async throws -> [LaunchNumber: Running] {
        try await read { scheduler, now in
            Dictionary(
                scheduler.runningLaunches.map { launch in
                    let used = launch.plan.budget.used(at: now.monotonic)
                    return (launch.plan.number, Running(used: used, assertions: launch.assertions))
                },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }

    func journal(_ query: JournalQuery) async throws -> Response {
        if query.isFollowing { return try await followJournal(after: query.after) }
        let after = query.after.map(JournalNumber.init(rawValue:))
        let selection = JournalSelection(after: after, newestFirst: after == nil, limit: query.limit)
        let records = try await recorded { try $0.journal(selection) }
        let lines = (after == nil ? records.reversed() : records).map(JournalLine.init)
        return Response(json: JournalReply(entries: lines, last: lines.last?.number ?? query.after ?? 0))
    }

    /// One line an entry, for as long as the caller stays and the host runs.
    private func followJournal(after start: Int64?) async throws -> Response {
        // Followed before it is read: an entry written in between is found rather than missed.
        let appends = ledger.journalAppends()
        let newest = if let start { start } else { try await newestEntry() }
        let body = ResponseBody { writer in
            var last = JournalNumber(rawValue: newest)
            // The head is on its way with the first bytes; a caller who waits for news shall know that it is heard.
            try await writer.write(ByteBuffer())
            while let lines = try await lines(after: &last) { try await writer.write(lines) }
            for await _ in appends.cancelOnGracefulShutdown() {
                while let lines = try await lines(after: &last) { try await writer.write(lines) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/x-ndjson"], body: body)
    }

    /// 0 for an empty journal.
    private func newestEntry() async throws -> Int64 {
        let selection = JournalSelection(newestFirst: true, limit: 1)
        return try await recorded { try $0.journal(selection).first?.number.rawValue } ?? 0
    }

    /// The next stretch of lines; nil when there is nothing newer.
    private func lines(after last: inout JournalNumber) async throws -> ByteBuffer? {
        let selection = JournalSelection(after: last, limit: 500)
        let records = try await recorded { try $0.journal(selection) }
        guard let newest = records.last?.number else { return nil }
        last = newest
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
            message: record.message
        )
    }
}

extension LaunchReply {
    /// - Parameter journal: the launch's entries, for what became of each task; empty leaves that out.
    init(_ record: LaunchRecord, running: ControlRoutes.Running, journal: [JournalRecord]) {
        self.init(
            launch: record.number,
            plugin: record.plugin,
            lane: record.lane,
            cause: record.cause,
            pid: record.process.pid,
            startedAt: record.startedAt,
            budget: record.budget,
            grace: record.grace,
            used: running.used,
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
                    endedAt: entry?.at
                )
            },
            assertions: running.assertions
        )
    }
}
