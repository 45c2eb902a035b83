// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/transfers`: a page of the transfers, newest first.
package struct TransferListReply: Codable, Hashable, Sendable {
    package var transfers: [TransferReply]
    /// Value of the query parameter `after` for the next page; nil at the end of the list.
    package var next: String?

    package init(transfers: [TransferReply], next: SubmissionNumber? = nil) {
        self.transfers = transfers
        self.next = next?.description
    }
}

/// The answer to `GET /v1/transfers/{number}`, and an element of the list.
package struct TransferReply: Codable, Hashable, Sendable {
    /// The number of the transfer, which is that of its request.
    package let transfer: Int64
    package let plugin: String
    /// The identifier of the transfer's task, such as `com.example.feed:transfer:12`.
    package let identifier: String
    package let session: String
    package let kind: String
    package let label: String?
    /// The URL without user information, query and fragment.
    package let url: String
    package let state: String
    /// The fault of the last try, or of the end.
    package let fault: String?
    /// The status of the last answer of the server; nil without an answer.
    package let httpStatus: Int?
    /// The transferred bytes: of a running transfer the reported ones, else those at the end of the last try.
    package let bytes: UInt64
    /// The bytes of the whole file; nil when unknown.
    package let total: UInt64?
    /// The result in the container of the plugin; nil without one, and after the plugin took it.
    package let file: String?
    package let message: String?
    package let begunAt: Timestamp
    private let begunAtSecond: CalendarTime
    package let endedAt: Timestamp?
    private let endedAtSecond: CalendarTime?

    /// Creates the reply about a transfer.
    ///
    /// - Parameter running: the transfers that launches run now.
    package init(_ transfer: Transfer, among running: RunningTransfers = RunningTransfers()) {
        let listed = transfer.listed(among: running)
        self.transfer = transfer.number.rawValue
        plugin = transfer.plugin.text
        identifier = transfer.identifier.text
        session = transfer.session.text
        kind = transfer.direction.name
        label = transfer.label
        url = transfer.url
        state = listed.state.name
        fault = transfer.fault?.name
        httpStatus = transfer.httpStatus
        bytes = listed.bytes
        total = listed.total
        file = listed.file
        message = transfer.message.isEmpty ? nil : transfer.message
        begunAt = Timestamp(transfer.begunAt)
        begunAtSecond = CalendarTime(secondOf: begunAt)
        endedAt = transfer.endedAt.map(Timestamp.init)
        endedAtSecond = endedAt.map(CalendarTime.init(secondOf:))
    }

    private enum CodingKeys: String, CodingKey {
        case transfer, plugin, identifier, session, kind, label, url, state, fault, bytes, total, file, message
        case httpStatus = "http_status"
        case begunAt = "begun_at_ns"
        case begunAtSecond = "begun_at"
        case endedAt = "ended_at_ns"
        case endedAtSecond = "ended_at"
    }
}

/// The answer to `POST /v1/transfers/{number}/pause` and to `resume`, sent after the change is committed.
package struct TransferPauseReply: Codable, Hashable, Sendable {
    package let transfer: Int64
    package let isPaused: Bool

    package init(_ transfer: SubmissionNumber, isPaused: Bool) {
        self.transfer = transfer.rawValue
        self.isPaused = isPaused
    }

    private enum CodingKeys: String, CodingKey {
        case transfer
        case isPaused = "paused"
    }
}

/// The answer to `POST /v1/transfers/{number}/cancel`, sent after the cancellation is committed.
package struct TransferCancellationReply: Codable, Hashable, Sendable {
    package let transfer: Int64
    /// Whether the transfer ends, or has ended, as cancelled; false when it had finished or failed before.
    package let isCancelled: Bool

    package init(_ transfer: SubmissionNumber, isCancelled: Bool) {
        self.transfer = transfer.rawValue
        self.isCancelled = isCancelled
    }

    private enum CodingKeys: String, CodingKey {
        case transfer
        case isCancelled = "cancelled"
    }
}
