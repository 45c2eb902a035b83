// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An event that waited for this plugin, delivered and completed like a task. This platform's own.
public final class BackgroundEvent: BGTask, @unchecked Sendable {
    /// What happened.
    @nonexhaustive
    public enum Kind: UInt32, Sendable {
        /// The plugin was installed or updated, or nothing of it was pending when the host started: submit the first
        /// requests.
        case started = 1
        /// An extension was triggered; what came with it is the ``BGTask/payload``.
        case trigger = 2
        /// Legacy fetch; see ``BackgroundPlugin/setMinimumBackgroundFetchInterval(_:)``.
        case fetch = 3
        /// A push arrived.
        case push = 4
        /// Transfers in the background have finished.
        case transfersFinished = 5
        /// What this release does not know.
        case unknown = 0xFFFF_FFFF
    }

    /// What happened.
    public let kind: Kind

    init(_ delivered: DeliveredTask, _ kind: Kind) {
        self.kind = kind
        super.init(delivered)
    }
}
