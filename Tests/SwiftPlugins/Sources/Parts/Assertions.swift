// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Synchronization

/// Background assertions for work that continues after the last completion, begun and ended as in apps.
final class Assertions: Part {
    func launch() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh") { task in
            if isSlow { return Self.waitForExpiration(task) }
            let flush = BackgroundPlugin.beginBackgroundTask(withName: "flush") {
                note("the flush must end")
            }
            note("begun: \(flush != .invalid), time: \(BackgroundPlugin.backgroundTimeRemaining > 0)")
            task.setTaskCompleted(success: true)
            Task {
                while !isReleased { try? await Task.sleep(nanoseconds: 5_000_000) }
                note("flushed")
                BackgroundPlugin.endBackgroundTask(flush)
            }
        }
    }

    nonisolated static func waitForExpiration(_ task: BGTask) {
        let flush = BackgroundPlugin.beginBackgroundTask(withName: "flush") { identifier in
            note("must end: \(identifier.rawValue)")
            task.setTaskCompleted(success: false)
            BackgroundPlugin.endBackgroundTask(identifier)
        }
        note("begun: \(flush.rawValue)")
    }
}
