// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

extension ProcessInfo {
    /// Performs an activity that the end of the launch's budget may expire, as on Apple's platforms, where extensions use
    /// it. A background assertion keeps the launch open until the block returns.
    ///
    /// - Parameters:
    ///   - reason: name of the activity for the journal and for users.
    ///   - block: called with false on an arbitrary queue, where it performs the activity. When the assertion expires
    ///     before the block has returned, it is called a second time at the same time, with true: stop the activity.
    ///     When the host grants no assertion, the block is called once, with true. Outside of a host it is called with
    ///     false only.
    @preconcurrency
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        let assertion = BackgroundPlugin.beginBackgroundTask(withName: reason) { block(true) }
        let isRefused = assertion == .invalid && Host.current != nil
        DispatchQueue.global().async {
            block(isRefused)
            BackgroundPlugin.endBackgroundTask(assertion)
        }
    }
}
