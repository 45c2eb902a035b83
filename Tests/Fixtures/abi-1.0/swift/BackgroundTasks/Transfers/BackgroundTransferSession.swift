// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation
import Synchronization

/// A named group of downloads and uploads that the host makes after the plugin's process has ended, and continues after
/// interruptions and restarts. It corresponds to `URLSession` with a background configuration.
///
///     let session = BackgroundTransferSession(configuration: .background(withIdentifier: "photos"), delegate: photos)
///     let task = session.downloadTask(with: url)
///     task.sha256 = digest
///     try await task.begin()
///
/// When the last open transfer of the session has ended, the host launches the plugin once. Create the session with its
/// delegate again while the plugin enters: the delegate then receives each ended transfer, and moves its file.
///
/// The plugin needs the grant `network` in its manifest. Only `http` and `https` are transferred.
public final class BackgroundTransferSession: Sendable {
    private struct State {
        var delegate: (any BackgroundTransferDelegate)?
    }

    /// The properties of a session.
    public struct Configuration: Hashable, Sendable {
        /// The name of the session: 1 to 64 lower-case letters, digits, `-`, `.` and `_`.
        public let identifier: String

        /// Whether transfers also wait for external power, an idle machine and an unmetered network. Default: false.
        public var isDiscretionary = false

        /// Headers of each request of the session. The headers of a task come first.
        public var httpAdditionalHeaders: [String: String] = [:]

        /// Headers of each request of the session whose values are secrets. In a value, `${KEY}` stands for the secret
        /// setting KEY of the plugin. They are not sent to another host after a redirect.
        public var secretHeaders: [String: String] = [:]

        /// Always true: the host launches the plugin when the last transfer of the session has ended.
        public var sessionSendsLaunchEvents: Bool { true }

        /// The configuration of the session with this name, with default values.
        public static func background(withIdentifier identifier: String) -> Self { Self(identifier: identifier) }
    }

    /// The properties of the session.
    public let configuration: Configuration

    private let state: Mutex<State>
    /// The queue of the delegate.
    let queue: DispatchQueue

    /// Creates the object of the session with this name. One object exists for each name: a later one takes the place
    /// of an earlier one.
    ///
    /// - Parameters:
    ///   - configuration: name and properties.
    ///   - delegate: receives the ended transfers. The session keeps the object until ``invalidate()``.
    public init(configuration: Configuration, delegate: (any BackgroundTransferDelegate)? = nil) {
        self.configuration = configuration
        state = Mutex(State(delegate: delegate))
        queue = DispatchQueue(label: "BackgroundTransferSession \(configuration.identifier)")
        TransferSessions.shared.add(self)
    }

    /// The receiver of the ended transfers; nil without one, and after ``invalidate()``.
    public var delegate: (any BackgroundTransferDelegate)? { state.withLock { $0.delegate } }

    /// Releases the delegate. The transfers go on.
    public func invalidate() {
        state.withLock { $0.delegate = nil }
        TransferSessions.shared.remove(self)
    }

    // MARK: Tasks

    /// A download that has not begun: set its properties, then call ``BackgroundTransferTask/begin()`` or
    /// ``BackgroundTransferTask/resume()``.
    public func downloadTask(with url: URL) -> BackgroundTransferTask {
        BackgroundTransferTask(self, .download, url: url, file: nil)
    }

    /// An upload that has not begun.
    ///
    /// - Parameters:
    ///   - url: the target.
    ///   - fileURL: the file, which lies in the container of the plugin. It must not change until the upload has ended.
    public func uploadTask(with url: URL, fromFile fileURL: URL) -> BackgroundTransferTask {
        BackgroundTransferTask(self, .upload, url: url, file: fileURL)
    }

    /// The transfers of the session, in the order of their beginning: the open ones, and those that have ended and are
    /// not forgotten. The host forgets the ended ones after their delivery to the delegate, when their
    /// files were moved.
    ///
    /// - Throws: ``BGTaskScheduler/Error`` outside of a host, for an extension, and when the host cannot read them.
    public var allTasks: [BackgroundTransferTask] {
        get async throws { try await BackgroundPlugin.onWaitingQueue { try self.listedTasks() } }
    }

    func listedTasks() throws -> [BackgroundTransferTask] {
        guard let host = Host.current else { throw BGTaskScheduler.Error.withoutHost }
        return try host.transfers(of: configuration.identifier).map { BackgroundTransferTask(self, $0) }
    }
}
