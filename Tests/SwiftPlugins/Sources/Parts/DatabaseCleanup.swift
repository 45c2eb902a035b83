// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// A processing task with required conditions. It also submits its next request from its expiration handler.
final class DatabaseCleanup: Part {
    func launch() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.db-cleaning", using: nil) {
            [weak self] task in
            guard let task = task as? BGProcessingTask else { return }
            self?.handleDatabaseCleanup(task: task)
        }
        scheduleProcessingTask()
    }

    nonisolated func scheduleProcessingTask() {
        let request = BGProcessingTaskRequest(identifier: "com.example.colorfeed.db-cleaning")
        request.requiresNetworkConnectivity = false
        request.requiresExternalPower = true
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            note("not scheduled: \(error)")
        }
    }

    nonisolated func handleDatabaseCleanup(task: BGProcessingTask) {
        let cleanupTask = Task {
            for batch in 0... {
                try Task.checkCancellation()
                if batch == 0 { note("cleaning") }
                try await Task.sleep(nanoseconds: 5_000_000)
                if !isSlow { break }
            }
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { [self] in
            cleanupTask.cancel()
            scheduleProcessingTask()
            note("expired: \(String(describing: task.expirationReason))")
            task.setTaskCompleted(success: false)
        }
    }
}
