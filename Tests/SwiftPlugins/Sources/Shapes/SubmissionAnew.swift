// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The form of apps that cancel all requests when they leave the foreground, and submit each of them anew.

private final class FeedAppDelegate: Sendable {
    func applicationDidFinishLaunching() {
        register("refresh") { [self] task in
            applicationDidEnterBackground()
            task.setTaskCompleted(success: true)
        }
        register("db-cleaning") { task in
            note("cleaned without a date")
            task.setTaskCompleted(success: true)
        }
        register("report") { task in task.setTaskCompleted(success: true) }
    }

    private func register(_ name: String, _ handler: @escaping @Sendable (BGTask) -> Void) {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.\(name)",
            using: nil,
            launchHandler: handler
        )
    }

    private func applicationDidEnterBackground() {
        BGTaskScheduler.shared.cancelAllTaskRequests()
        let refresh = BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.refresh")
        refresh.earliestBeginDate = Calendar.current.date(byAdding: .hour, value: 4, to: Date())
        let cleaning = BGProcessingTaskRequest(identifier: "com.example.colorfeed.db-cleaning")
        cleaning.earliestBeginDate = nil
        cleaning.requiresExternalPower = false
        for request in [refresh, cleaning] as [BGTaskRequest] {
            do {
                try BGTaskScheduler.shared.submit(request)
            } catch BGTaskScheduler.Error.unavailable {
                note("unavailable")
            } catch {
                note("not submitted: \(error.localizedDescription)")
            }
        }
    }
}

/// A refresh that cancels all pending requests, and submits one request with an earliest begin and one without.
final class SubmissionAnew: Part {
    private let delegate = FeedAppDelegate()

    func launch() { delegate.applicationDidFinishLaunching() }
}
