// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// A handler that blocks its queue until its expiration handler is called. Its closure is written in main-actor code, as
/// in app delegates; the setting `queue` is its registration's queue.
final class QueueShapes: Part {
    func launch() {
        let named = DispatchQueue(label: "com.example.colorfeed.named")
        let (queue, name): (dispatch_queue_t?, String) =
            switch BackgroundPlugin.setting("queue") {
            case "named": (named, "named")
            case "main": (.main, "main")
            default: (nil, "none")
            }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: queue) { task in
            if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
            Self.block(task, on: name)
        }
    }

    nonisolated private static func block(_ task: BGTask, on queue: String) {
        let expired = DispatchSemaphore(value: 0)
        task.expirationHandler = {
            note("the handler is set during its call: \(task.expirationHandler != nil)")
            expired.signal()
        }
        note("queue \(queue), main thread: \(Thread.isMainThread)")
        expired.wait()
        task.setTaskCompleted(success: true)
    }
}
