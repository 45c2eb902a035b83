// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The transfers of one plugin that have no end: pending, running, or with their acceptance in flight.
struct OpenTransfers: Sendable {
    private var byNumber: [SubmissionNumber: Transfer] = [:]
    private var counts: [TransferSession: Int] = [:]

    var count: Int { byNumber.count }
    var isEmpty: Bool { byNumber.isEmpty }
    var all: [Transfer] { byNumber.values.sorted { $0.number < $1.number } }

    subscript(number: SubmissionNumber) -> Transfer? { byNumber[number] }

    /// Whether a transfer of the session is open.
    func contains(_ session: TransferSession) -> Bool { counts[session] != nil }

    mutating func set(_ transfer: Transfer) {
        if byNumber.updateValue(transfer, forKey: transfer.number) == nil {
            counts[transfer.session, default: 0] += 1
        }
    }

    /// Removes and returns a transfer; nil when it is not open.
    mutating func remove(_ number: SubmissionNumber) -> Transfer? {
        guard let transfer = byNumber.removeValue(forKey: number) else { return nil }
        let count = counts[transfer.session] ?? 1
        counts[transfer.session] = count > 1 ? count - 1 : nil
        return transfer
    }
}

/// The ends of transfers that one commit records: its changes, and what they become in memory.
struct TransferEnds: Sendable {
    var changes: [LedgerChange] = []
    /// The ended transfers as they were before, for a commit that fails.
    var transfers: [Transfer] = []
    /// The events of the sessions whose last transfer ends, one for each session.
    var events: [PendingEvent] = []
    /// The waiting events of the same sessions, which the new ones replace.
    var replaced: [PendingEvent] = []

    var isEmpty: Bool { transfers.isEmpty }

    mutating func append(_ other: TransferEnds) {
        changes += other.changes
        transfers += other.transfers
        events += other.events
        replaced += other.replaced
    }
}
