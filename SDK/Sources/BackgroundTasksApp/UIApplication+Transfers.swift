// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// Finished sessions of background transfers, and their delivery to the delegate.
extension UIApplication {
    /// Delivers the event of a finished session to the delegate, on the main thread, and the ended transfers to the
    /// delegate of the session: now, or when the plugin creates the object of the session.
    nonisolated static func deliver(_ event: BackgroundEvent, ofSession name: String) {
        Task { @MainActor in
            guard let delegate = shared.delegate else { return event.complete(.failure) }
            delegate.application(
                shared,
                handleEventsForBackgroundURLSession: name,
                completionHandler: { event.complete(.success) }
            )
            BackgroundTransferSession.deliverEnded(of: name) { isDelivered in
                if !isDelivered { event.complete(.failure) }
            }
        }
    }
}

extension UIApplicationDelegate {
    /// Calls the async form, and completes the event with its return.
    public func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        Task { @MainActor in
            await self.application(application, handleEventsForBackgroundURLSession: identifier)
            completionHandler()
        }
    }

    /// Waits until the delegate of the session has received the ended transfers.
    public func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String
    ) async {
        await BackgroundTransferSession.delivery(of: identifier)
    }
}
