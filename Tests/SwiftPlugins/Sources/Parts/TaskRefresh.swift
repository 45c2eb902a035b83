// Part of bgtask, under the Apache License 2.0; see LICENSE.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import BackgroundTasks

/// A refresh in an unstructured Swift task, which the expiration handler cancels.
final class TaskRefresh: Part {
    func launch() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.refresh",
            using: nil
        ) { task in
            BackgroundTaskManager.shared.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
    }
}

private final class BackgroundTaskManager: Sendable {
    static let shared = BackgroundTaskManager()

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(
            identifier: "com.example.colorfeed.refresh"
        )
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        let fetchTask = Task {
            do {
                let data = try await APIClient.shared.fetchLatestFeed()
                await FeedStore.shared.update(with: data)
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = {
            fetchTask.cancel()
            task.setTaskCompleted(success: false)
        }
    }
}

private actor APIClient {
    static let shared = APIClient()

    func fetchLatestFeed() async throws -> [String] {
        note("fetching")
        while isSlow { try await Task.sleep(nanoseconds: 10_000_000) }
        return ["red", "green"]
    }
}

private actor FeedStore {
    static let shared = FeedStore()

    func update(with data: [String]) { note("stored \(data.count)") }
}
