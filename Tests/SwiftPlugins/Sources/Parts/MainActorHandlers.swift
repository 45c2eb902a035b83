// Part of bgtask, under the Apache License 2.0; see LICENSE.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import BackgroundTasks

/// Handlers on a named queue and on the main queue, with main-actor code.
final class MainActorHandlers: Part {
    private let queue = DispatchQueue(label: "com.example.colorfeed.work")
    private var handled = 0

    func launch() {
        // The closure belongs to the main actor, like all code of this class.
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: .main) { task in
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.db-cleaning",
            using: .main
        ) { @Sendable task in
            MainActor.assumeIsolated {
                self.handled += 1
                note("db-cleaning on the main thread: \(Thread.isMainThread)")
                task.setTaskCompleted(success: true)
            }
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.report",
            using: queue
        ) { @Sendable [queue] task in
            dispatchPrecondition(condition: .onQueue(queue))
            note("report on the main thread: \(Thread.isMainThread)")
            Task { @MainActor in
                self.handled += 1
                note("and from there on the main thread: \(Thread.isMainThread)")
                task.setTaskCompleted(success: true)
            }
        }
    }

    /// Occupies the main thread until the task expires, and completes the task before its expiration handler is called
    /// there.
    func completeBeforeTheCall(_ task: BGTask) {
        let hold = BackgroundPlugin.beginBackgroundTask(withName: "busy")
        while !task.isExpiring { Thread.sleep(forTimeInterval: 0.001) }
        Thread.sleep(forTimeInterval: 0.1)
        task.setTaskCompleted(success: true)
        DispatchQueue.main.async {
            note("the main thread is free")
            BackgroundPlugin.endBackgroundTask(hold)
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask) {
        MainActor.preconditionIsolated()
        handled += 1
        note("refresh on the main thread: \(Thread.isMainThread)")
        task.expirationHandler = {
            // Written on the main actor, and called there.
            self.handled = 0
            note("expired on the main thread: \(Thread.isMainThread)")
            task.setTaskCompleted(success: false)
        }
        if BackgroundPlugin.setting("busy") == "true" { return completeBeforeTheCall(task) }
        if !isSlow { task.setTaskCompleted(success: true) }
    }
}
