// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Handlers that are written in main-actor code, as in app delegates. The setting `queue` selects the queue of the
/// registration, and the setting `shape` selects the handler:
///
/// - `sendable`: a `@Sendable` closure that blocks until its expiration.
/// - `nested`: a closure of the main actor. It and its expiration handler contain closures of their own.
/// - `shared`: a closure of the main actor that blocks until two seconds after the begin of its expiration, and shares
///   state of the main actor with its expiration handler.
/// - Otherwise: a closure of the main actor that blocks until its expiration.
final class QueueShapes: Part {
    private static let identifier = "com.example.colorfeed.refresh"

    private var hasReturned = false

    func launch() {
        let named = DispatchQueue(label: "com.example.colorfeed.named")
        let (queue, name): (dispatch_queue_t?, String) =
            switch BackgroundPlugin.setting("queue") {
            case "named": (named, "named")
            case "main": (.main, "main")
            default: (nil, "none")
            }
        let scheduler = BGTaskScheduler.shared
        switch BackgroundPlugin.setting("shape") {
        case "sendable":
            scheduler.register(forTaskWithIdentifier: Self.identifier, using: queue) { @Sendable task in
                if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
                Self.block(task, on: name)
            }
        case "nested":
            scheduler.register(forTaskWithIdentifier: Self.identifier, using: queue) { task in
                // The compiler of Swift 6 verifies at run time that closures in main-actor code are called there.
                task.expirationHandler = {
                    ["expired"].forEach { note("\($0) on the main thread: \(Thread.isMainThread)") }
                    task.setTaskCompleted(success: true)
                }
                [name].forEach { note("queue \($0), main thread: \(Thread.isMainThread)") }
            }
        case "shared":
            scheduler.register(forTaskWithIdentifier: Self.identifier, using: queue) { task in
                task.expirationHandler = {
                    note("expired on the main thread: \(Thread.isMainThread), after the handler: \(self.hasReturned)")
                    task.setTaskCompleted(success: true)
                }
                note("queue \(name), main thread: \(Thread.isMainThread)")
                while !task.isExpiring { Thread.sleep(forTimeInterval: 0.001) }
                Thread.sleep(forTimeInterval: 2)
                self.hasReturned = true
            }
        default:
            scheduler.register(forTaskWithIdentifier: Self.identifier, using: queue) { task in
                #if swift(<6)
                    if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
                #endif
                Self.block(task, on: name)
            }
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
