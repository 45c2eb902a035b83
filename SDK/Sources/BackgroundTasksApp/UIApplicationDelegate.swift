// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

/// The part of an app's delegate that receives background pushes and finished sessions of transfers, for plugins whose code also runs in an app. Set the
/// object as ``UIApplication/delegate`` while the plugin enters. Every function is optional, and is called on the main
/// thread.
///
/// Write one of the two forms of `application(_:didReceiveRemoteNotification:)`. With both, the form with a completion
/// handler is called.
@preconcurrency
@MainActor
public protocol UIApplicationDelegate: AnyObject {
    /// The host has recorded the registration for pushes.
    ///
    /// - Parameters:
    ///   - application: the object ``UIApplication/shared``.
    ///   - deviceToken: the token by which senders on other machines address this plugin. It stays the same until a user
    ///     rotates it: compare it with the last one at each launch.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )

    /// The registration for pushes failed. The error is a `BGTaskScheduler.Error`.
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    )

    /// A background push has arrived. Call the completion handler once, when the work is done. A push without a
    /// completion expires at the end of the launch's budget, and a second completion is a violation in the journal.
    ///
    /// - Parameters:
    ///   - application: the object ``UIApplication/shared``.
    ///   - userInfo: the JSON object in the payload. For any other payload, the payload as `Data` under the key
    ///     `payload`; empty without a payload.
    ///   - completionHandler: completes the push, on any thread.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    )

    /// A background push has arrived; the result completes it.
    ///
    /// - Parameters:
    ///   - application: the object ``UIApplication/shared``.
    ///   - userInfo: the JSON object in the payload. For any other payload, the payload as `Data` under the key
    ///     `payload`; empty without a payload.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult

    /// The last open transfer of a session has ended. Create the ``/BackgroundTasks/BackgroundTransferSession`` with
    /// its delegate, if it does not exist yet: the delegate then receives the ended transfers. Call the completion
    /// handler when it has processed them; the host then forgets them. A missing call expires the event at the end of
    /// the launch's budget, and the transfers are delivered again.
    ///
    /// - Parameters:
    ///   - application: the object ``UIApplication/shared``.
    ///   - identifier: the name of the session.
    ///   - completionHandler: completes the event, on any thread.
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    )

    /// The last open transfer of a session has ended; the return completes the event. Write one of the two forms.
    ///
    /// - Parameters:
    ///   - application: the object ``UIApplication/shared``.
    ///   - identifier: the name of the session.
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String
    ) async
}

extension UIApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}

    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    /// Calls the async form, and completes the push with its result.
    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        Task { @MainActor in
            completionHandler(await self.application(application, didReceiveRemoteNotification: userInfo))
        }
    }

    /// Completes the push without new data.
    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult { .noData }
}

/// The result of a background push or of a legacy fetch.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// New data was downloaded.
    case newData = 0
    /// There was no new data.
    case noData = 1
    /// The download failed.
    case failed = 2
}
