// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksApp
import BackgroundTasksTesting
import StatementTraits
import Testing

/// A delegate in the form with a completion handler, as an app has it.
private final class CompletingDelegate: NSObject, UIApplicationDelegate {
    var tokens: [Data] = []
    var errors: [any Error] = []
    var received: [[AnyHashable: Any]] = []
    /// The result of each push; nil for a push that is not completed.
    var result: UIBackgroundFetchResult? = .newData
    var completesTwice = false

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        tokens.append(deviceToken)
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        errors.append(error)
    }

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        received.append(userInfo)
        guard let result else { return }
        completionHandler(result)
        if completesTwice { completionHandler(result) }
    }
}

/// A delegate in the async form.
private final class AsyncDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await Task.yield()
        return userInfo["fails"] == nil ? .newData : .failed
    }
}

// Nested, because a process has one host at a time.
extension RefreshTests {
    @Suite("An app delegate receives the device token and the pushes of its plugin", .proves(85, "C21"))
    struct PushDelegateTests {
        @MainActor
        private func host(_ delegate: any UIApplicationDelegate, registering: Bool = false) throws -> TestHost {
            let host = TestHost(plugin: "com.example.colorfeed", permitted: [])
            try host.enter {
                UIApplication.shared.delegate = delegate
                if registering { UIApplication.shared.registerForRemoteNotifications() }
            }
            return host
        }

        @Test @MainActor func `an app delegate receives the device token, and the application is registered`()
            async throws
        {
            let delegate = CompletingDelegate()
            let host = try host(delegate, registering: true)
            while delegate.tokens.isEmpty { await Task.yield() }
            #expect(delegate.tokens.map(\.count) == [32] && delegate.errors.isEmpty)
            #expect(UIApplication.shared.isRegisteredForRemoteNotifications && host.isRegisteredForPushes)
            let other = Data([1, 2, 3])
            host.setDeviceToken(other)
            #expect(try await BackgroundPlugin.registerForPushes() == other)
            UIApplication.shared.unregisterForRemoteNotifications()
            #expect(!UIApplication.shared.isRegisteredForRemoteNotifications)
            while host.isRegisteredForPushes { await Task.yield() }
            #expect(await host.end() == [])
        }

        @Test @MainActor func `an app delegate receives the error of a refused registration`() async throws {
            let delegate = CompletingDelegate()
            let host = try host(delegate)
            host.refuseNext(.unavailable, subReason: .notRecorded, message: "the disk is full")
            UIApplication.shared.registerForRemoteNotifications()
            while delegate.errors.isEmpty { await Task.yield() }
            let error = delegate.errors.first as? BGTaskScheduler.Error
            #expect(error?.code == .unavailable && error?.subReason == .notRecorded && delegate.tokens.isEmpty)
            #expect(await host.end() == [])
        }

        @Test @MainActor func `a delegate completes pushes with each result, and receives their JSON or their data`()
            async throws
        {
            let delegate = CompletingDelegate()
            let host = try host(delegate)
            #expect(await host.push(Data(#"{"aps": {"content-available": 1}, "news": 2}"#.utf8)) == .success)
            #expect(delegate.received.last?["news"] as? Int == 2)
            delegate.result = .noData
            #expect(await host.push() == .noData)
            #expect(delegate.received.last?.isEmpty == true)
            delegate.result = .failed
            #expect(await host.push(Data("[1]".utf8)) == .failure)
            #expect(delegate.received.last?["payload"] as? Data == Data("[1]".utf8))
            #expect(await host.send(.started) == .success)
            #expect(delegate.received.count == 3)
            #expect(await host.end() == [])
        }

        @Test @MainActor func `an async app delegate completes pushes with its result`() async throws {
            let host = try host(AsyncDelegate())
            #expect(await host.push(Data(#"{"news": 2}"#.utf8)) == .success)
            #expect(await host.push(Data(#"{"fails": true}"#.utf8)) == .failure)
            #expect(await host.end() == [])
        }

        @Test @MainActor func `a second completion of a push by a delegate is a violation, and a missing one a defect`()
            async throws
        {
            let delegate = CompletingDelegate()
            delegate.completesTwice = true
            let host = try host(delegate)
            #expect(await host.push(Data("{}".utf8)) == .success)
            #expect(host.violations.contains { $0.contains("BGT-ABI-09") })
            delegate.result = nil
            #expect(host.deliverPush() != nil)
            while delegate.received.count < 2 { await Task.yield() }
            #expect(await host.end().count == 2)
        }
    }
}
