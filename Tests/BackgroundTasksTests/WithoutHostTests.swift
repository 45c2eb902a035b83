// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Testing

@Suite("Outside of a host nothing is scheduled, and nothing breaks")
struct WithoutHostTests {
    @Test func `registration fails, submission is unavailable, and nothing is pending`() async {
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

    @Test func `there is no container, no setting, no launch and no end of time`() {
        #expect(BackgroundPlugin.containerURL == nil && BackgroundPlugin.setting("colour") == nil)
        #expect(BackgroundPlugin.launch == nil && BackgroundPlugin.backgroundTimeRemaining == .infinity)
        #expect(BackgroundPlugin.beginBackgroundTask(withName: "work") == .invalid)
        BackgroundPlugin.endBackgroundTask(.invalid)
        #expect(!BackgroundPlugin.setMinimumBackgroundFetchInterval(60))
    }
}
