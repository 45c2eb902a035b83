// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Dispatch
public import Foundation

// Background time, which apps request when they leave the foreground: a background assertion of the plugin.
extension UIApplication {
    /// Begins background time without a name, like ``beginBackgroundTask(withName:expirationHandler:)``.
    public nonisolated func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Begins background time: the launch stays open after its last completion, until ``endBackgroundTask(_:)`` or the
    /// launch's deadline.
    ///
    /// - Parameters:
    ///   - taskName: name for the journal and for users.
    ///   - handler: called on the main thread when the time is used up; it has to end the background time.
    /// - Returns: the background time; ``UIBackgroundTaskIdentifier/invalid`` when the launch is over or expiring, when
    ///   too much background time is open, and outside of a host.
    public nonisolated func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        let assertion = BackgroundPlugin.beginBackgroundTask(withName: taskName) {
            guard let handler else { return }
            // The host waits for this call, and so for the app's handler.
            DispatchQueue.main.sync { MainActor.assumeIsolated { handler() } }
        }
        return UIBackgroundTaskIdentifier(rawValue: Int(truncatingIfNeeded: assertion.rawValue))
    }

    /// Ends background time. The launch may end when this call returns.
    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        BackgroundPlugin.endBackgroundTask(
            BackgroundTaskIdentifier(rawValue: UInt64(truncatingIfNeeded: identifier.rawValue))
        )
    }

    /// Time left of the launch's budget, in seconds; the greatest finite number without a fixed budget, and outside of
    /// a host.
    public nonisolated var backgroundTimeRemaining: TimeInterval {
        min(BackgroundPlugin.backgroundTimeRemaining, .greatestFiniteMagnitude)
    }
}
