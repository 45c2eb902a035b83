// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// Registrations for background pushes, and their delivery to the delegate.
extension UIApplication {
    /// Registers for pushes from other machines, which needs the background mode `remote-notification` in the manifest.
    /// The delegate receives the device token or the error later, on the main thread. Call it at each launch; see
    /// ``/BackgroundTasks/BackgroundPlugin/registerForPushes()``.
    public func registerForRemoteNotifications() {
        Task { @MainActor in
            do {
                let token = try await BackgroundPlugin.registerForPushes()
                self.isRegistered = true
                self.delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: token)
            } catch {
                self.delegate?.application(self, didFailToRegisterForRemoteNotificationsWithError: error)
            }
        }
    }

    /// Ends the device token. A failure is written to the log. The next registration gets another token.
    public func unregisterForRemoteNotifications() {
        isRegistered = false
        Task { @MainActor in
            do {
                try await BackgroundPlugin.unregisterForPushes()
            } catch {
                BackgroundPlugin.log("the device token is still valid: \(error)", level: .error)
            }
        }
    }

    /// Whether this launch has registered for pushes, and not unregistered afterwards. Differs from Apple's platforms:
    /// a registration of an earlier launch does not count.
    public var isRegisteredForRemoteNotifications: Bool { isRegistered }

    /// Delivers a push to the delegate, on the main thread.
    nonisolated static func deliver(_ push: BackgroundEvent) {
        Task { @MainActor in
            guard let delegate = shared.delegate else { return push.complete(.noData) }
            delegate.application(
                shared,
                didReceiveRemoteNotification: userInfo(of: push.payload),
                fetchCompletionHandler: { push.complete(BGTask.Outcome($0)) }
            )
        }
    }

    /// The JSON object in a payload; for any other payload the data under the key `payload`.
    static func userInfo(of payload: Data?) -> [AnyHashable: Any] {
        guard let payload, !payload.isEmpty else { return [:] }
        return (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any] ?? ["payload": payload]
    }
}

extension BGTask.Outcome {
    fileprivate init(_ result: UIBackgroundFetchResult) {
        switch result {
        case .newData: self = .success
        case .noData: self = .noData
        case .failed: self = .failure
        }
    }
}
