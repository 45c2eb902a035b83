// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// An activity that continues after the last completion until it is released or expires. With the setting `refused`, the
/// expiration handler of a background assertion begins the activity. The launch grants no assertion any more by then.
final class ExpiringActivity: Part {
    func launch() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh") { task in
            if BackgroundPlugin.setting("refused") == "true" {
                task.expirationHandler = {}
                _ = BackgroundPlugin.beginBackgroundTask(withName: "open") { identifier in
                    ProcessInfo().performExpiringActivity(withReason: "upload") { isExpired in
                        note("expired: \(isExpired)")
                        task.setTaskCompleted(success: false)
                        BackgroundPlugin.endBackgroundTask(identifier)
                    }
                }
                return note("waiting")
            }
            let stop = DispatchSemaphore(value: 0)
            ProcessInfo.processInfo.performExpiringActivity(withReason: "upload") { isExpired in
                if isExpired {
                    note("expired")
                    stop.signal()
                    return
                }
                note("uploading")
                if isSlow {
                    stop.wait()
                } else {
                    while !isReleased { Thread.sleep(forTimeInterval: 0.005) }
                }
                note("uploaded")
            }
            if !isSlow { return task.setTaskCompleted(success: true) }
            task.expirationHandler = { task.setTaskCompleted(success: false) }
        }
    }
}
