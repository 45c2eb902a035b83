// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The form of apps whose work and expiration handler race for the completion: the first one completes the task.

private final class CompletionLock: @unchecked Sendable {
    private let lock = NSLock()
    private var isUsed = false

    /// Calls the function the first time, and returns whether it was called.
    @discardableResult
    func once(_ complete: () -> Void) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard !isUsed else { return false }
        isUsed = true
        complete()
        return true
    }
}

@MainActor
private final class MainQueueCompletion {
    private var isUsed = false

    nonisolated init() {}

    func finish(_ task: BGTask, success: Bool) {
        guard !isUsed else { return }
        isUsed = true
        note("completed on the main thread: \(Thread.isMainThread)")
        task.setTaskCompleted(success: success)
    }
}

private final class FeedKeeper: Sendable {
    static let identifier = "com.example.colorfeed.refresh"

    func register() {
        let usesMainQueue = BackgroundPlugin.setting("guard") == "main-queue"
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) { [weak self] task in
            self?.scheduleNext()
            if usesMainQueue {
                self?.finishOnMainQueue(task)
            } else {
                self?.finishUnderLock(task)
            }
        }
    }

    private func scheduleNext() {
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = Date().addingTimeInterval(6 * 60 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }

    private func finishUnderLock(_ task: BGTask) {
        let completion = CompletionLock()
        let work = Task.detached(priority: .utility) {
            note("working")
            while isSlow && !isReleased && !Task.isCancelled { try? await Task.sleep(nanoseconds: 5_000_000) }
            let isFirst = completion.once { task.setTaskCompleted(success: true) }
            note("the work completed first: \(isFirst)")
        }
        task.expirationHandler = {
            completion.once {
                note("the expiration completed first")
                task.setTaskCompleted(success: false)
            }
            work.cancel()
        }
    }

    private func finishOnMainQueue(_ task: BGTask) {
        let completion = MainQueueCompletion()
        task.expirationHandler = { DispatchQueue.main.async { completion.finish(task, success: false) } }
        DispatchQueue.global(qos: .utility).async {
            note("working")
            // Without an end: the expiration completes the task.
            if isSlow && !isReleased { return }
            DispatchQueue.main.async { completion.finish(task, success: true) }
        }
    }
}

/// A task that is completed once, by its work or by its expiration. The setting `guard` selects a lock or the main
/// queue as the guard against a second completion.
final class SingleCompletion: Part {
    private let keeper = FeedKeeper()

    func launch() { keeper.register() }
}
