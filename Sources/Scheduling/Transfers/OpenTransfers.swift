// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The transfers of one plugin that have no end: pending, running, or with their acceptance in flight.
struct OpenTransfers: Sendable {
    private var byNumber: [SubmissionNumber: Transfer] = [:]
    /// The number of recorded transfers of each session; no entry for a session without one.
    private var counts: [TransferSession: Int] = [:]
    /// The transfers whose acceptance is in flight.
    private var unrecorded: Set<SubmissionNumber> = []

    var count: Int { byNumber.count }
    var isEmpty: Bool { byNumber.isEmpty }
    var all: [Transfer] { byNumber.values.sorted { $0.number < $1.number } }

    subscript(number: SubmissionNumber) -> Transfer? { byNumber[number] }

    /// Whether a recorded transfer of the session is open. A transfer whose acceptance is in flight does not count: its
    /// commit may fail, and then nothing would report the end of the session.
    func contains(_ session: TransferSession) -> Bool { counts[session] != nil }

    /// Whether the download for an argument of a function is open, also one whose acceptance is in flight.
    func contains(_ description: TransferDescription) -> Bool {
        byNumber.values.contains { $0.isDownload(as: description) }
    }

    /// Adds a transfer whose acceptance is in flight.
    mutating func begin(_ transfer: Transfer) {
        byNumber[transfer.number] = transfer
        unrecorded.insert(transfer.number)
    }

    /// Counts a transfer whose acceptance is on disk.
    mutating func recorded(_ number: SubmissionNumber) {
        guard unrecorded.remove(number) != nil, let transfer = byNumber[number] else { return }
        counts[transfer.session, default: 0] += 1
    }

    /// Adds or changes a transfer that is on disk.
    mutating func set(_ transfer: Transfer) {
        if byNumber.updateValue(transfer, forKey: transfer.number) == nil {
            counts[transfer.session, default: 0] += 1
        }
    }

    /// Removes and returns a transfer; nil when it is not open.
    mutating func remove(_ number: SubmissionNumber) -> Transfer? {
        guard let transfer = byNumber.removeValue(forKey: number) else { return nil }
        if unrecorded.remove(number) != nil { return transfer }
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
