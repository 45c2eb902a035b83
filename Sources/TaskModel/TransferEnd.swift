// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The end of one try of a transfer, as the transfer library reports it just before it completes the task.
package struct TransferEnd: Hashable, Sendable {
    /// The longest message in bytes.
    package static let longestMessage = 256

    package enum Result: UInt32, Hashable, Sendable, CaseIterable {
        /// The file is complete and checked, or the server accepted the upload.
        case finished = 1
        /// The try failed in a way that may pass. The transfer is tried again.
        case transient = 2
        /// The transfer cannot succeed.
        case fatal = 3
    }

    package let result: Result
    /// The fault of a transient or fatal try; nil for a finished transfer.
    package let fault: TransferFault?
    /// The status of the last answer of the server; nil without an answer.
    package let httpStatus: Int?
    /// The delay that the server asks for.
    package let retryAfter: Duration?
    /// The bytes of the file that are transferred, over all tries.
    package let bytes: UInt64
    /// The bytes of the whole file; nil when unknown.
    package let total: UInt64?
    /// How often the file of the server changed during the transfer.
    package let sourceChanges: Int
    /// How often the transfer began from the start again.
    package let restarts: Int
    package let message: String

    package init(
        result: Result,
        fault: TransferFault? = nil,
        httpStatus: Int? = nil,
        retryAfter: Duration? = nil,
        bytes: UInt64,
        total: UInt64? = nil,
        sourceChanges: Int = 0,
        restarts: Int = 0,
        message: String = ""
    ) {
        self.result = result
        self.fault = fault
        self.httpStatus = httpStatus
        self.retryAfter = retryAfter
        self.bytes = bytes
        self.total = total
        self.sourceChanges = sourceChanges
        self.restarts = restarts
        self.message = message
    }
}

/// The fault of a try of a transfer. The numbers are those of the private header of the transfer library.
package enum TransferFault: UInt32, Hashable, Sendable, CaseIterable {
    // Transient.
    case network = 1
    case serverBusy = 2
    case insufficientStorage = 3
    case slow = 4
    /// The staging directory is missing, foreign or no directory.
    case stagingUnusable = 5

    // Fatal.
    case httpStatus = 20
    case tooManyRedirects = 21
    case addressNotPermitted = 22
    case schemeNotPermitted = 23
    case digestMismatch = 24
    case sizeMismatch = 25
    /// Began again too often without progress: the file of the server changed, or the server does not continue it.
    case tooManyRestarts = 26
    case fileUnreadable = 27
    case fileChanged = 28
    case tlsFailed = 29
    case tooLarge = 30
    case urlInvalid = 31
    case networkNotGranted = 32
    /// No byte moved for the no-progress limit. Set by the host.
    case noProgress = 33
    /// A setting that a secret header names is missing or no secret.
    case secretMissing = 34
    /// The transfer library crashed again and again in this transfer. Set by the host.
    case libraryCrashed = 35
    /// The deadline passed before the transfer ended. Set by the host.
    case deadlinePassed = 36
    case headerInvalid = 37
    /// An upload by POST was sent whole, and its answer was lost.
    case resultUnknown = 38

    /// The name on the wire of the control API and in the journal.
    package var name: String {
        switch self {
        case .network: "network"
        case .serverBusy: "server-busy"
        case .insufficientStorage: "insufficient-storage"
        case .slow: "slow"
        case .stagingUnusable: "staging-unusable"
        case .httpStatus: "http-status"
        case .tooManyRedirects: "too-many-redirects"
        case .addressNotPermitted: "address-not-permitted"
        case .schemeNotPermitted: "scheme-not-permitted"
        case .digestMismatch: "digest-mismatch"
        case .sizeMismatch: "size-mismatch"
        case .tooManyRestarts: "too-many-restarts"
        case .fileUnreadable: "file-unreadable"
        case .fileChanged: "file-changed"
        case .tlsFailed: "tls-failed"
        case .tooLarge: "too-large"
        case .urlInvalid: "url-invalid"
        case .networkNotGranted: "network-not-granted"
        case .noProgress: "no-progress"
        case .secretMissing: "secret-missing"
        case .libraryCrashed: "library-crashed"
        case .deadlinePassed: "deadline-passed"
        case .headerInvalid: "header-invalid"
        case .resultUnknown: "result-unknown"
        }
    }

    package init?(name: String) {
        guard let fault = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = fault
    }
}
