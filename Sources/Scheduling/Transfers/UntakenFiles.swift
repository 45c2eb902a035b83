// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The ended transfers of one plugin whose files it has not taken. They count against its limit of transfers:
/// otherwise a plugin that begins transfers and takes no file would fill the disk.
struct UntakenFiles: Sendable {
    private var byNumber: [SubmissionNumber: Transfer] = [:]

    var isEmpty: Bool { byNumber.isEmpty }

    /// Adds an ended transfer that has a file.
    mutating func add(_ transfer: Transfer) {
        if transfer.endedAt != nil, transfer.file != nil, !transfer.isTaken { byNumber[transfer.number] = transfer }
    }

    mutating func remove(_ number: SubmissionNumber) { byNumber[number] = nil }

    /// Removes the responses to uploads that the event about a session reported.
    mutating func removeResponses(of session: TransferSession, before end: SubmissionNumber) {
        byNumber = byNumber.filter { number, transfer in
            transfer.session != session || number >= end || transfer.direction == .download
        }
    }

    /// The newest download for an argument of a function.
    func newest(as description: TransferDescription) -> Transfer? {
        byNumber.values.filter { $0.isDownload(as: description) }.max { $0.number < $1.number }
    }

    /// The transfers with a label.
    func numbers(labelled label: String) -> [SubmissionNumber] {
        byNumber.values.filter { $0.label == label }.map(\.number).sorted()
    }

    /// The number of files whose transfers ended since a time. The host deletes older ones.
    func count(since oldest: WallTime) -> Int {
        byNumber.values.count { $0.endedAt.map { $0 >= oldest } ?? false }
    }
}

// The count of untaken files.
extension Scheduler {
    /// The refusal of a further transfer of a plugin because of its number of open transfers and untaken files.
    func limitRefusal(ofTransferBy plugin: PluginIdentifier, at now: Moment) -> SubmissionRefusal? {
        let oldest = now.wall + (.zero - configuration.transfers.retention)
        return SubmissionRules.limitRefusal(
            ofTransferBy: plugin,
            open: transfers[plugin]?.count ?? 0,
            untaken: untakenFiles[plugin]?.count(since: oldest) ?? 0,
            under: configuration
        )
    }

    /// Counts the files of transfers whose ends are recorded.
    mutating func countFiles(_ changes: [LedgerChange], of plugin: PluginIdentifier) {
        for case .storeTransfer(let transfer) in changes { untakenFiles[plugin, default: UntakenFiles()].add(transfer) }
        dropEmptyCount(of: plugin)
    }

    mutating func dropEmptyCount(of plugin: PluginIdentifier) {
        if untakenFiles[plugin]?.isEmpty == true { untakenFiles[plugin] = nil }
    }
}
