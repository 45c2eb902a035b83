// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The state of a transfer, as lists show it.
package enum TransferState: UInt32, Hashable, Sendable, CaseIterable {
    case waiting = 1
    case running = 2
    case paused = 3
    case finished = 4
    case failed = 5
    case cancelled = 6

    package var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    package init?(name: String) {
        guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }

    /// Whether the transfer has its end.
    package var isEnded: Bool { self == .finished || self == .failed || self == .cancelled }
}

/// A transfer of a plugin, open or ended.
package struct ListedTransfer: Hashable, Sendable {
    package let number: SubmissionNumber
    package let direction: TransferDescription.Direction
    package let session: TransferSession
    package let label: String?
    /// The URL without user information, query and fragment.
    package let url: String
    package let state: TransferState
    package let fault: TransferFault?
    package let httpStatus: Int?
    package let bytes: UInt64
    package let total: UInt64?
    /// The file with the result, as a path relative to the container; nil without one.
    package let file: String?

    package init(
        number: SubmissionNumber,
        direction: TransferDescription.Direction,
        session: TransferSession,
        label: String?,
        url: String,
        state: TransferState,
        fault: TransferFault? = nil,
        httpStatus: Int? = nil,
        bytes: UInt64 = 0,
        total: UInt64? = nil,
        file: String? = nil
    ) {
        self.number = number
        self.direction = direction
        self.session = session
        self.label = label
        self.url = url
        self.state = state
        self.fault = fault
        self.httpStatus = httpStatus
        self.bytes = bytes
        self.total = total
        self.file = file
    }
}
