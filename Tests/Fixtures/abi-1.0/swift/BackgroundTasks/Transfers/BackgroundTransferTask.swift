// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation
import Synchronization

/// One download or upload of a ``BackgroundTransferSession``. It corresponds to `URLSessionDownloadTask` and
/// `URLSessionUploadTask`. The properties that describe the transfer have an effect until it begins; those about its
/// course are as of the creation of the object: ``BackgroundTransferSession/allTasks`` returns newer objects.
public final class BackgroundTransferTask: Sendable {
    /// Whether a transfer downloads or uploads.
    public enum Direction: UInt32, Sendable {
        /// From the server into a file.
        case download = 1
        /// Of a file of the container to the server.
        case upload = 2
    }

    /// Progress of a transfer.
    @nonexhaustive
    public enum State: UInt32, Sendable {
        /// Not begun yet.
        case suspended = 0
        /// Waiting for its time, its conditions or the next try.
        case waiting = 1
        /// Being transferred.
        case running = 2
        /// Stopped by a user, until the user resumes it.
        case paused = 3
        /// Ended: the file is complete, or the server accepted the upload.
        case finished = 4
        /// Ended without success.
        case failed = 5
        /// Ended by a cancellation.
        case cancelled = 6
        /// A state that this release does not define.
        case unknown = 0xFFFF_FFFF
    }

    private let session: BackgroundTransferSession
    private let values: Mutex<TransferValues>

    /// Whether the transfer downloads or uploads.
    public let direction: Direction

    init(_ session: BackgroundTransferSession, _ direction: Direction, url: URL, file: URL?) {
        self.session = session
        self.direction = direction
        let configuration = session.configuration
        var values = TransferValues(url: url.absoluteString)
        values.file = file?.standardizedFileURL.path
        values.isDiscretionary = configuration.isDiscretionary
        values.headers = configuration.httpAdditionalHeaders
        values.secretHeaders = configuration.secretHeaders
        self.values = Mutex(values)
    }

    init(_ session: BackgroundTransferSession, _ values: TransferValues) {
        self.session = session
        direction = values.direction
        self.values = Mutex(values)
    }

    private subscript<Value: Sendable>(path: any WritableKeyPath<TransferValues, Value> & Sendable) -> Value {
        get { values.withLock { $0[keyPath: path] } }
        set { values.withLock { $0[keyPath: path] = newValue } }
    }

    // MARK: Description

    /// The number of the transfer, with which commands name it; 0 before it has begun.
    public var taskIdentifier: Int { self[\.number] }

    /// The URL; without user information and query when the host returned the object.
    public var originalURL: URL? { URL(string: self[\.url]) }

    /// A text for users and for the plugin, at most 256 bytes.
    public var taskDescription: String? {
        get { self[\.label] }
        set { self[\.label] = newValue }
    }

    /// The method of an upload, `PUT` or `POST`. Default: `PUT`.
    public var httpMethod: String? {
        get { self[\.method] }
        set { self[\.method] = newValue }
    }

    /// Headers of the request.
    public var headers: [String: String] {
        get { self[\.headers] }
        set { self[\.headers] = newValue }
    }

    /// Headers whose values are secrets: `${KEY}` stands for the secret setting KEY of the plugin.
    public var secretHeaders: [String: String] {
        get { self[\.secretHeaders] }
        set { self[\.secretHeaders] = newValue }
    }

    /// The time before which the transfer does not begin; nil for no delay.
    public var earliestBeginDate: Date? {
        get { self[\.earliestBegin] }
        set { self[\.earliestBegin] = newValue }
    }

    /// The expected size of a download in bytes; 0 when it is not known. A file of another size fails.
    public var countOfBytesClientExpectsToReceive: Int64 {
        get { self[\.expectedSize] }
        set { self[\.expectedSize] = newValue }
    }

    /// The expected SHA-256 of a download, 32 bytes; nil when it is not known. A file with another digest fails.
    public var sha256: Data? {
        get { self[\.sha256] }
        set { self[\.sha256] = newValue }
    }

    /// Whether the transfer also waits for external power and an idle machine.
    public var isDiscretionary: Bool {
        get { self[\.isDiscretionary] }
        set { self[\.isDiscretionary] = newValue }
    }

    // MARK: Course

    /// Progress of the transfer.
    public var state: State { self[\.state] }

    /// The transferred bytes of the file: of a running transfer by its newest report, of other transfers at the end of
    /// the last try.
    public var countOfBytesTransferred: Int64 { self[\.bytes] }

    /// The bytes of the whole file; 0 when they are not known.
    public var countOfBytesExpected: Int64 { self[\.total] }

    /// The failure or the cancellation of an ended transfer; nil for every other one.
    public var error: BackgroundTransferError? {
        switch state {
        case .failed: BackgroundTransferError(code: self[\.code] ?? "unknown", httpStatus: httpStatus)
        case .cancelled: BackgroundTransferError(code: "cancelled", httpStatus: httpStatus)
        default: nil
        }
    }

    /// The status of the server's last answer; nil without an answer.
    public var httpStatus: Int? { self[\.httpStatus] }

    /// The file of an ended transfer, until it is taken: the download, or the body of the answer to an upload.
    public var location: URL? {
        self[\.result].flatMap { BackgroundPlugin.containerURL?.appending(path: $0, directoryHint: .notDirectory) }
    }

    // MARK: Calls

    /// Begins the transfer, and returns after the host has recorded it. The process of the plugin may end then.
    ///
    /// - Returns: the number of the transfer.
    /// - Throws: ``BGTaskScheduler/Error`` for a refused transfer, and outside of a host.
    @discardableResult
    public func begin() async throws -> Int {
        try await BackgroundPlugin.onWaitingQueue { try self.beginNow() }
    }

    /// Begins the transfer without waiting. The delegate of the session receives the error of a refused one. An
    /// assertion keeps the launch open until the host has answered.
    public func resume() {
        let assertion = BackgroundPlugin.beginBackgroundTask(withName: "transfer")
        Host.waitingQueue.async {
            do {
                _ = try self.beginNow()
            } catch {
                self.session.queue.async {
                    self.session.delegate?.transferSession(self.session, task: self, didCompleteWithError: error)
                }
            }
            BackgroundPlugin.endBackgroundTask(assertion)
        }
    }

    private func beginNow() throws -> Int {
        guard let host = Host.current else { throw BGTaskScheduler.Error.withoutHost }
        var begun = values.withLock { $0 }
        if begun.number != 0 { return begun.number }
        begun.direction = direction
        let number = try host.begin(begun, in: session.configuration.identifier)
        values.withLock {
            $0.number = number
            $0.state = .waiting
        }
        return number
    }

    /// Cancels an open transfer. Returns after the host has recorded it.
    ///
    /// - Throws: ``BGTaskScheduler/Error`` when the host cannot record it.
    public func cancel() async throws {
        let number = taskIdentifier
        try await BackgroundPlugin.onWaitingQueue {
            guard let host = Host.current else { throw BGTaskScheduler.Error.withoutHost }
            try host.cancelTransfer(number)
        }
    }

    /// The transfer as the host lists it now; nil when the host does not list it.
    func newest() async throws -> BackgroundTransferTask? {
        let (number, session) = (taskIdentifier, session)
        return try await BackgroundPlugin.onWaitingQueue {
            try session.listedTasks().first { $0.taskIdentifier == number }
        }
    }

    /// Reports to the host that the plugin itself has moved the file.
    func noteMoved() { Host.current?.noteMoved(taskIdentifier) }

    /// Moves the file of an ended transfer to a place of the container, whose directory exists.
    ///
    /// - Parameters:
    ///   - place: the new place.
    ///   - replacing: whether an existing file is replaced; otherwise it is an error.
    /// - Throws: `CocoaError` with `fileNoSuchFile`, `fileWriteFileExists` or `fileWriteUnknown`, and
    ///   ``BGTaskScheduler/Error`` for every other refusal.
    public func take(to place: URL, replacing: Bool = false) throws {
        guard let host = Host.current else { throw BGTaskScheduler.Error.withoutHost }
        try host.takeTransfer(taskIdentifier, to: place.standardizedFileURL.path, replacing: replacing)
        values.withLock { $0.result = nil }
    }
}
