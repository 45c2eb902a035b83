// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceLifecycle
import TaskLedger
import TaskModel

// The feed of shown notifications.
extension ControlRoutes {
    func notifications(_ query: NotificationQuery) async throws -> Response {
        if query.isFollowing { return try await followNotifications(after: query.after) }
        let after = query.after.map(NotificationNumber.init(rawValue:))
        let (range, records) = try await recorded { ledger in
            // Read first: a notification that is shown between both reads is then part of the next query.
            let range = try ledger.notificationRange()
            let records = try after.map { try ledger.notifications(after: $0, limit: query.limit) }
            return (range, try records ?? ledger.newestNotifications(limit: query.limit))
        }
        let newest = max(query.after ?? 0, range?.upperBound.rawValue ?? 0)
        let isComplete = after == nil || records.count < query.limit
        let last = isComplete ? max(newest, records.last?.number.rawValue ?? 0) : records.last?.number.rawValue
        return Response(
            json: NotificationReply(
                notifications: records.map(NotificationLine.init),
                last: last ?? newest,
                oldest: range?.lowerBound.rawValue
            )
        )
    }

    /// Streams the feed as one line per notification, until the caller disconnects or the host stops.
    private func followNotifications(after: Int64?) async throws -> Response {
        // Each notification is written with a journal entry, whose announcement wakes the stream. Following starts
        // before the first read, so that no notification written in between is missed.
        let appends = ledger.journalAppends()
        let start: Int64
        if let after {
            start = after
        } else {
            start = try await recorded { try $0.notificationRange()?.upperBound.rawValue ?? 0 }
        }
        let body = ResponseBody { writer in
            var last = NotificationNumber(rawValue: start)
            // The response head is sent with the first bytes, see `followJournal`.
            try await writer.write(ByteBuffer())
            while let lines = try await notificationLines(after: &last) { try await writer.write(lines) }
            for await _ in appends.cancelOnGracefulShutdown() {
                while let lines = try await notificationLines(after: &last) { try await writer.write(lines) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/x-ndjson"], body: body)
    }

    /// The lines of the next notifications; nil when there are no newer ones. Advances `last` past these.
    private func notificationLines(after last: inout NotificationNumber) async throws -> ByteBuffer? {
        let start = last
        let records = try await recorded { try $0.notifications(after: start, limit: 500) }
        guard let newest = records.last?.number else { return nil }
        last = newest
        var buffer = ByteBuffer()
        for record in records {
            buffer.writeBytes(try WireCoding.encode(NotificationLine(record)))
            buffer.writeString("\n")
        }
        return buffer
    }
}

extension NotificationLine {
    init(_ record: NotificationRecord) {
        self.init(
            number: record.number.rawValue,
            at: record.at,
            alarm: record.alarm,
            event: record.event,
            plugin: record.plugin,
            topic: record.topic,
            submission: record.submission,
            launch: record.launch,
            task: record.label,
            blame: record.blame,
            isChanged: record.isChanged,
            content: record.content
        )
    }
}
