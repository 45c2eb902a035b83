// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

#if os(Linux)
    import BackgroundTasksApp
#endif

/// Code of an app that asks its application object for background time, in the form that Apple documents.
final class ApplicationObject: Part {
    private var flush = UIBackgroundTaskIdentifier.invalid

    func launch() {
        let application = UIApplication.shared
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalNever)
        note("state \(application.applicationState), refresh \(application.backgroundRefreshStatus)")
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.refresh",
            using: .main
        ) { task in
            MainActor.assumeIsolated { self.handle(task) }
        }
    }

    private func handle(_ task: BGTask) {
        flush = UIApplication.shared.beginBackgroundTask(withName: "flush") {
            note("time is up on the main thread: \(Thread.isMainThread)")
            self.endFlush()
        }
        note("begun: \(flush != .invalid), time: \((1...3_600).contains(UIApplication.shared.backgroundTimeRemaining))")
        if isSlow {
            task.expirationHandler = { task.setTaskCompleted(success: false) }
        } else {
            task.setTaskCompleted(success: true)
            Task {
                while !isReleased { try? await Task.sleep(nanoseconds: 5_000_000) }
                note("flushed")
                endFlush()
            }
        }
    }

    private func endFlush() {
        UIApplication.shared.endBackgroundTask(flush)
        flush = .invalid
    }
}
