// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// The counterpart of an app delegate on Apple's platforms: it registers the launch handlers and schedules their tasks.
/// The work itself is in the extensions, in a file for each task.
final class ColorFeed: Sendable {
    static let shared = ColorFeed()

    private static let refresh = "com.example.colorfeed.refresh"
    private static let databaseCleaning = "com.example.colorfeed.db-cleaning"
    /// Prefix of the identifiers of exports. The manifest permits a pattern, whose star stands for the family of
    /// colours to export.
    private static let exports = "com.example.colorfeed.export."

    let operationQueue = OperationQueue()

    func launch() {
        let scheduler = BGTaskScheduler.shared
        scheduler.register(forTaskWithIdentifier: Self.refresh, using: nil) { task in
            self.handleAppRefresh(task: task)
        }
        scheduler.register(forTaskWithIdentifier: Self.databaseCleaning, using: nil) { task in
            self.handleDatabaseCleaning(task: task)
        }
        // As on Apple's platforms, a composed identifier is registered, not its pattern. The user who started the
        // export has chosen the family.
        for identifier in BackgroundPlugin.launch?.identifiers ?? [] where identifier.hasPrefix(Self.exports) {
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { task in
                guard let task = task as? BGContinuedProcessingTask else {
                    return task.setTaskCompleted(success: false)
                }
                self.handleExport(task: task, of: String(identifier.dropFirst(Self.exports.count)))
            }
        }
        BackgroundPlugin.receiveEvents { event in
            if event.kind == .started { self.scheduleEverything() }
            event.setTaskCompleted(success: true)
        }
    }

    // MARK: Scheduling

    /// Submits both requests without a delay, when the event `started` arrives.
    private func scheduleEverything() {
        scheduleAppRefresh(after: 0)
        scheduleDatabaseCleaning(after: 0)
    }

    func scheduleAppRefresh(after seconds: TimeInterval = Settings.refreshInterval) {
        let request = BGAppRefreshTaskRequest(identifier: Self.refresh)
        request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
        submit(request)
    }

    func scheduleDatabaseCleaning(after seconds: TimeInterval = Settings.cleaningInterval) {
        let request = BGProcessingTaskRequest(identifier: Self.databaseCleaning)
        request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
        request.requiresExternalPower = true
        submit(request)
    }

    private func submit(_ request: BGTaskRequest) {
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            BackgroundPlugin.log("could not schedule \(request.identifier): \(error)", level: .error)
        }
    }

    // MARK: Reporting

    /// Logs the failure of a task. An expiration is information; any other failure is an error.
    func report(_ error: any Error, of task: BGTask) {
        if let reason = task.expirationReason {
            BackgroundPlugin.log("\(task.identifier) expired: \(reason)")
        } else {
            BackgroundPlugin.log("\(task.identifier) failed: \(error)", level: .error)
        }
    }
}
