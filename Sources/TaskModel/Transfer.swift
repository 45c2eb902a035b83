// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A transfer as the ledger records it, from its acceptance until its result is no longer needed.
package struct Transfer: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let number: SubmissionNumber
    package let direction: TransferDescription.Direction
    package let session: TransferSession
    package let label: String?
    /// The URL without user information, query and fragment.
    package let url: String
    /// The name of its files in the staging directory: the number and a random part, so that a file that an older
    /// ledger knew under the same number is never taken for the file of this transfer.
    package let place: String
    package let begunAt: WallTime

    /// `waiting` until the end; lists show a running or paused transfer as such.
    package var state = TransferState.waiting
    /// The fault of the last try, or of the end.
    package var fault: TransferFault?
    package var httpStatus: Int?
    package var bytes: UInt64 = 0
    package var total: UInt64?
    /// Time of the tries that moved nothing since the last movement.
    package var idle: Duration = .zero
    /// The end of the last try.
    package var triedAt: WallTime?
    package var endedAt: WallTime?
    /// The file with the result, as a path relative to the container; nil without one.
    package var file: String?
    package var isTaken = false
    /// Whether a user paused the transfer.
    package var isPaused = false
    package var message = ""

    package init(
        _ description: TransferDescription,
        plugin: PluginIdentifier,
        number: SubmissionNumber,
        place: String,
        begunAt: WallTime
    ) {
        self.init(
            plugin: plugin,
            number: number,
            direction: description.direction,
            session: description.session,
            label: description.label,
            url: description.shownURL,
            place: place,
            begunAt: begunAt
        )
    }

    package init(
        plugin: PluginIdentifier,
        number: SubmissionNumber,
        direction: TransferDescription.Direction,
        session: TransferSession,
        label: String?,
        url: String,
        place: String,
        begunAt: WallTime
    ) {
        self.plugin = plugin
        self.number = number
        self.direction = direction
        self.session = session
        self.label = label
        self.url = url
        self.place = place
        self.begunAt = begunAt
    }

    package var identifier: TaskIdentifier { .transfer(number, of: plugin) }

    /// The name of the staging directory within the container of the plugin.
    package static let directory = ".transfers"
    /// The path of the whole file, and that of the part that is transferred so far, relative to the container.
    package var filePath: String { "\(Self.directory)/\(place)" }
    package var partPath: String { "\(filePath).part" }

    /// The transfer as lists show it. A running transfer has the bytes of its newest report, and other
    /// transfers have the bytes at the end of the last try.
    package func listed(among running: RunningTransfers) -> ListedTransfer {
        let isRunning = running.contains(number)
        let report = running.report(of: number)
        let shown: TransferState = state == .waiting ? isPaused ? .paused : isRunning ? .running : .waiting : state
        return ListedTransfer(
            number: number,
            direction: direction,
            session: session,
            label: label,
            url: url,
            state: shown,
            fault: fault,
            httpStatus: httpStatus,
            bytes: report.map { UInt64(clamping: $0.done) } ?? bytes,
            total: report?.knownTotal.map { UInt64(clamping: $0) } ?? total,
            file: isTaken ? nil : file
        )
    }
}
