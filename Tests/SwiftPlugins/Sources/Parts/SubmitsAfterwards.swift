// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Completes a task before it schedules the next one, as a third of published apps do. The setting `from` names the
/// code that does so: a closure, a queue, the main queue, a Swift task, an async handler or an expiration handler; or
/// the code to which a closure passes the submission, after it has completed the task.
final class SubmitsAfterwards: Part {
    nonisolated private static let identifier = "com.example.colorfeed.report"

    func launch() {
        let scheduler = BGTaskScheduler.shared
        let (identifier, queue) = (Self.identifier, DispatchQueue(label: "com.example.colorfeed.work"))
        switch BackgroundPlugin.setting("from") {
        case "queue":
            scheduler.register(forTaskWithIdentifier: identifier, using: queue) { @Sendable in Self.finish($0) }
        case "main-queue":
            scheduler.register(forTaskWithIdentifier: identifier, using: .main) { @Sendable in Self.finish($0) }
        case "asynchronous-queue":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                queue.async { Self.finish(task) }
            }
        case "main-actor":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { task in self.finishOnMainActor(task) }
        case "swift-task":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                Task {
                    await Task.yield()
                    Self.finish(task)
                }
            }
        case "later-swift-task":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                task.setTaskCompleted(success: true)
                Task { Self.schedule() }
            }
        case "later-await":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                Task {
                    task.setTaskCompleted(success: true)
                    try? await Task.sleep(for: .milliseconds(50))
                    await Self.scheduleAsynchronously()
                }
            }
        case "later-await-after-closure":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                task.setTaskCompleted(success: true)
                Task {
                    try? await Task.sleep(for: .milliseconds(50))
                    Self.schedule()
                }
            }
        case "later-timer":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                task.setTaskCompleted(success: true)
                queue.asyncAfter(deadline: .now() + .milliseconds(50)) { Self.schedule() }
            }
        case "later-main-queue":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                task.setTaskCompleted(success: true)
                DispatchQueue.main.async { Self.schedule() }
            }
        case "later-callback":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                task.setTaskCompleted(success: true)
                scheduler.getPendingTaskRequests { _ in Self.schedule() }
            }
        case "async-handler":
            scheduler.handle(taskWithIdentifier: identifier) { task in Self.finish(task) }
        case "expiration-handler":
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                task.expirationHandler = { Self.finish(task) }
                note("waiting")
            }
        default:
            scheduler.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable in Self.finish($0) }
        }
    }

    private func finishOnMainActor(_ task: BGTask) { Self.finish(task) }

    nonisolated private static func finish(_ task: BGTask) {
        task.setTaskCompleted(success: true)
        schedule()
    }

    nonisolated private static var request: BGTaskRequest {
        let request = BGProcessingTaskRequest(identifier: identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 24 * 60 * 60)
        return request
    }

    nonisolated private static func schedule() {
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            BackgroundPlugin.log("not scheduled: \(error)", level: .error)
        }
    }

    nonisolated private static func scheduleAsynchronously() async {
        do {
            try await BGTaskScheduler.shared.submitTaskRequest(request)
        } catch {
            BackgroundPlugin.log("not scheduled: \(error)", level: .error)
        }
    }
}
