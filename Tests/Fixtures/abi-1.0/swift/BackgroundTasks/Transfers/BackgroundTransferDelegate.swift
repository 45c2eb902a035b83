// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

/// The receiver of the ended transfers of a session. Its functions are called on one serial queue for each session, in
/// the order of the transfers. Every function is optional.
///
/// Its functions correspond to those of `URLSessionDownloadDelegate` and `URLSessionTaskDelegate`. Progress and
/// redirects are not delivered: no process of the plugin runs meanwhile.
public protocol BackgroundTransferDelegate: AnyObject, Sendable {
    /// A download has finished. Move the file at `location` before the function returns, with
    /// ``BackgroundTransferTask/take(to:replacing:)`` or with the file manager. A file that stays is delivered again
    /// after later transfers of the session, and is deleted after the host's `transfers.retention`, 7 days by default.
    ///
    /// - Parameters:
    ///   - session: the session of the transfer.
    ///   - downloadTask: the transfer.
    ///   - location: the file, which is complete and has the expected size and digest.
    func transferSession(
        _ session: BackgroundTransferSession,
        downloadTask: BackgroundTransferTask,
        didFinishDownloadingTo location: URL
    )

    /// A transfer has ended, or was refused.
    ///
    /// - Parameters:
    ///   - session: the session of the transfer.
    ///   - task: the transfer.
    ///   - error: nil for a finished transfer, a ``BackgroundTransferError`` for a failed or cancelled one, and a
    ///     ``BGTaskScheduler/Error`` for one that ``BackgroundTransferTask/resume()`` could not begin.
    func transferSession(
        _ session: BackgroundTransferSession,
        task: BackgroundTransferTask,
        didCompleteWithError error: (any Error)?
    )

    /// All ended transfers of the session were delivered. The host then forgets those whose files were moved.
    func transferSessionDidFinishEvents(_ session: BackgroundTransferSession)
}

extension BackgroundTransferDelegate {
    /// Does nothing.
    public func transferSession(
        _ session: BackgroundTransferSession,
        downloadTask: BackgroundTransferTask,
        didFinishDownloadingTo location: URL
    ) {}

    /// Does nothing.
    public func transferSession(
        _ session: BackgroundTransferSession,
        task: BackgroundTransferTask,
        didCompleteWithError error: (any Error)?
    ) {}

    /// Does nothing.
    public func transferSessionDidFinishEvents(_ session: BackgroundTransferSession) {}
}

/// The failure or the cancellation of a transfer.
public struct BackgroundTransferError: Error, Hashable, LocalizedError {
    /// The name of the failure in the journal, such as `http-status` or `digest-mismatch`; `cancelled` for a cancelled
    /// transfer.
    public let code: String
    /// The status of the server's last answer; nil without an answer.
    public let httpStatus: Int?

    /// Creates an error like one of a host, for tests of error handling.
    public init(code: String, httpStatus: Int? = nil) {
        self.code = code
        self.httpStatus = httpStatus
    }

    /// The code, and the status of the server.
    public var errorDescription: String? {
        "the transfer ended with \(code)" + (httpStatus.map { ", HTTP status \($0)" } ?? "")
    }
}
