// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The form of apps and packages that keep the task in a property. A work item or the app's own code completes it later.

private final class FeedRefresher: @unchecked Sendable {
    static let shared = FeedRefresher()

    private let lock = NSLock()
    private var task: BGTask?
    private var deadline: DispatchWorkItem?

    /// Whether the app is at work. The end of the work completes the task.
    var isProcessing = false {
        didSet {
            if oldValue && !isProcessing { finish(success: true) }
        }
    }

    func register() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.refresh",
            using: nil,
            launchHandler: begin(task:)
        )
    }

    private func begin(task: BGTask) {
        let item = DispatchWorkItem { [weak self] in
            note("the work item runs")
            self?.finish(success: true)
        }
        lock.withLock {
            self.task = task
            deadline = item
        }
        task.expirationHandler = { [weak self] in
            note("expired: \(task.identifier)")
            self?.finish(success: false)
        }
        switch task.payload.map({ String(decoding: $0, as: UTF8.self) }) {
        case "property":
            isProcessing = true
            DispatchQueue.global().async { self.isProcessing = false }
        case "work-item": DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20), execute: item)
        default: note("waiting")
        }
    }

    private func finish(success: Bool) {
        let (task, item) = lock.withLock {
            defer { (self.task, deadline) = (nil, nil) }
            return (self.task, deadline)
        }
        guard let task else { return }
        item?.cancel()
        task.setTaskCompleted(success: success)
    }
}

/// A task in a property. Its payload selects its completion: `property`, `work-item`, or else the expiration.
final class StoredTask: Part {
    func launch() { FeedRefresher.shared.register() }
}
