// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// Registrations for background pushes, and their delivery to the delegate.
extension UIApplication {
    /// Registers for pushes from other machines, which needs the background mode `remote-notification` in the manifest.
    /// The delegate receives the device token or the error later, on the main thread. Call it at each launch; see
    /// ``/BackgroundTasks/BackgroundPlugin/registerForPushes()``.
    public func registerForRemoteNotifications() {
        afterEarlierCalls {
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
        afterEarlierCalls {
            do {
                try await BackgroundPlugin.unregisterForPushes()
                self.isRegistered = false
            } catch {
                BackgroundPlugin.log("the device token is still valid: \(error)", level: .error)
            }
        }
    }

    /// Makes a call about the registration when the earlier calls have returned, so that the newest call decides.
    private func afterEarlierCalls(_ call: @escaping @MainActor () async -> Void) {
        let earlier = registration
        registration = Task { @MainActor in
            await earlier?.value
            await call()
        }
    }

    /// Whether this launch has registered for pushes, and not unregistered afterwards. Changes with the host's answer.
    /// Differs from Apple's platforms: a registration of an earlier launch does not count.
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
