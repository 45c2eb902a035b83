// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

// The form of apps that register a table of handlers in a loop, and of apps with one handler for several identifiers.

private struct ScheduledJob: Sendable {
    let name: String
    let body: @Sendable (BGTask) -> Void

    var identifier: String { "com.example.colorfeed.\(name)" }
}

private enum ScheduledJobs {
    static let all = [
        ScheduledJob(name: "refresh", body: completeAtOnce),
        ScheduledJob(name: "db-cleaning", body: dispatch),
        ScheduledJob(name: "report", body: dispatch),
    ]

    static func registerAll() -> Int {
        all.filter { job in
            BGTaskScheduler.shared.register(
                forTaskWithIdentifier: job.identifier,
                using: nil,
                launchHandler: job.body
            )
        }
        .count
    }

    /// Completes the task before it sets the expiration handler, which has no effect then.
    @Sendable private static func completeAtOnce(_ task: BGTask) {
        guard let task = task as? BGAppRefreshTask else { return }
        task.setTaskCompleted(success: true)
        task.expirationHandler = {
            note("expired after the completion")
            task.setTaskCompleted(success: false)
        }
        note("refresh, a handler after the completion: \(task.expirationHandler != nil)")
    }

    /// Distinguishes the tasks of one handler by type and by identifier.
    @Sendable private static func dispatch(_ task: BGTask) {
        switch task {
        case let task as BGProcessingTask where task.identifier.hasSuffix("db-cleaning"):
            note("cleaning")
            task.setTaskCompleted(success: true)
        case is BGProcessingTask:
            note("report")
            task.setTaskCompleted(success: false)
        default:
            note("unknown \(task.identifier)")
            task.setTaskCompleted(success: false)
        }
    }
}

/// The behaviour of an app that registers the launch handlers of a table in a loop.
final class HandlerTable: Part {
    func launch() {
        let count = ScheduledJobs.registerAll()
        if count != ScheduledJobs.all.count { note("registered only \(count)") }
    }
}
