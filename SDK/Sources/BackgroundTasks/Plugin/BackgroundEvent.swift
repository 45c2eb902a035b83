// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An event for this plugin, delivered and completed like a task. An addition of this platform.
public final class BackgroundEvent: BGTask, @unchecked Sendable {
    /// Kind of an event for the plugin.
    @nonexhaustive
    public enum Kind: UInt32, Sendable {
        /// The plugin was installed or updated, or it had no pending request when the host started: submit the first
        /// requests.
        case started = 1
        /// An extension was triggered; the trigger's data is the ``BGTask/payload``.
        case trigger = 2
        /// The interval of legacy fetch has passed; see ``BackgroundPlugin/setMinimumBackgroundFetchInterval(_:)``.
        case fetch = 3
        /// A background push has arrived; its data is the ``BGTask/payload``. Requires the background mode
        /// `remote-notification` in the manifest.
        case push = 4
        /// The last open transfer of a session has ended; the ``BGTask/payload`` is the name of the session. Take the
        /// files of its ``BackgroundTransferSession`` before the event is completed.
        case transfersFinished = 5
        /// An alert push has arrived for a notification service extension; its data is the ``BGTask/payload``. See
        /// ``BackgroundEvent/setNotificationContent(title:subtitle:body:)``.
        case notification = 6
        /// A kind that this release does not define.
        case unknown = 0xFFFF_FFFF
    }

    /// Kind of this event.
    public let kind: Kind

    init(_ delivered: DeliveredTask, _ kind: Kind) {
        self.kind = kind
        super.init(delivered)
    }
}
