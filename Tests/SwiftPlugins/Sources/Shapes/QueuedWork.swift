// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The forms of apps with queues of their own: dependent operations on a serial queue, and a group of blocks.

private final class FetchOperation: Operation, @unchecked Sendable {
    private let step: String

    init(_ step: String) {
        self.step = step
        super.init()
    }

    override func main() {
        guard !isCancelled else { return }
        note("\(step) begins")
        while isSlow && !isReleased && !isCancelled { Thread.sleep(forTimeInterval: 0.005) }
        if !isCancelled { note("\(step) ends") }
    }
}

private final class FeedOperations: Sendable {
    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: nil) { task in
            self.runOperations(task)
        }
        let queue = DispatchQueue(label: "com.example.colorfeed.group", qos: .utility)
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.report", using: queue) { task in
            self.runGroup(task, from: queue)
        }
    }

    private func runOperations(_ task: BGTask) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let (fetch, store) = (FetchOperation("fetch"), FetchOperation("store"))
        store.addDependency(fetch)
        task.expirationHandler = { queue.cancelAllOperations() }
        store.completionBlock = {
            note("cancelled: \(store.isCancelled)")
            task.setTaskCompleted(success: !store.isCancelled)
        }
        queue.addOperations([fetch, store], waitUntilFinished: false)
    }

    private func runGroup(_ task: BGTask, from queue: DispatchQueue) {
        dispatchPrecondition(condition: .onQueue(queue))
        let group = DispatchGroup()
        for part in 1...3 {
            DispatchQueue.global(qos: .utility).async(group: group) { note("part \(part)") }
        }
        group.notify(queue: .main) {
            note("all parts, on the main thread: \(Thread.isMainThread)")
            task.setTaskCompleted(success: true)
        }
    }
}

/// Tasks whose work runs on operation queues and dispatch queues.
final class QueuedWork: Part {
    private let operations = FeedOperations()

    func launch() { operations.register() }
}
