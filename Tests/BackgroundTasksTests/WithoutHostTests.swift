// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksApp
import Testing

@Suite("Without a host the Swift module schedules no task and reports errors")
struct WithoutHostTests {
    @Test func `without a host Swift registration fails, submission is unavailable, and no request is pending`() async {
        #expect(!BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.refresh", using: nil) { _ in })
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        #expect(throws: BGTaskScheduler.Error.self) { try BGTaskScheduler.shared.submit(request) }
        do {
            try await BGTaskScheduler.shared.submitTaskRequest(request)
            Issue.record("it was taken")
        } catch let error as BGTaskScheduler.Error where error.code == .unavailable {
            #expect(error.localizedDescription.contains("BackgroundPlugin.enter"))
        } catch {
            Issue.record(error)
        }
        BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: "com.example.refresh")
        BGTaskScheduler.shared.cancelAllTaskRequests()
        #expect(await BGTaskScheduler.shared.pendingTaskRequests().isEmpty)
        #expect(BGTaskScheduler.supportedResources == BGTaskScheduler.shared.supportedResources)
    }

    @Test func `without a host the Swift module has no container, setting, launch or time limit`() {
        #expect(BackgroundPlugin.containerURL == nil && BackgroundPlugin.setting("colour") == nil)
        #expect(BackgroundPlugin.launch == nil && BackgroundPlugin.backgroundTimeRemaining == .infinity)
    }

    @Test func `without a host the Swift module begins no background assertion and accepts no fetch interval`() {
        #expect(BackgroundPlugin.beginBackgroundTask(withName: "work") == .invalid)
        BackgroundPlugin.endBackgroundTask(.invalid)
        let fetching: any FetchInterval = LegacyFetch()
        #expect(!fetching.accepts(60))
    }

    @Test @MainActor func `without a host UIApplication reports restricted refresh and begins no background task`() {
        #expect(UIApplication.shared.backgroundRefreshStatus == .restricted)
        #expect(UIApplication.shared.beginBackgroundTask() == .invalid)
        #expect(UIApplication.shared.beginBackgroundTask(withName: "work") {} == .invalid)
        #expect(UIApplication.shared.backgroundTimeRemaining == .greatestFiniteMagnitude)
        UIApplication.shared.endBackgroundTask(.invalid)
    }
}

/// Hides a deprecated declaration from its caller, which would get a warning.
private protocol FetchInterval {
    func accepts(_ seconds: Double) -> Bool
}

private struct LegacyFetch: FetchInterval {
    @available(*, deprecated, message: "as the function that it calls")
    func accepts(_ seconds: Double) -> Bool { BackgroundPlugin.setMinimumBackgroundFetchInterval(seconds) }
}
