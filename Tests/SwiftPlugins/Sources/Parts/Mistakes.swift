// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Programming errors, which the setting `mistake` selects. All except a second completion and a missing handler end
/// the process.
final class Mistakes: Part {
    func launch() throws {
        let mistake = BackgroundPlugin.setting("mistake") ?? ""
        // The test does not concern the event `started`.
        guard let launch = BackgroundPlugin.launch, !launch.identifiers.isEmpty else { return }
        if mistake == "missing" { return }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh") { task in
            note("handling")
            // Keeps the launch open: without it the process could end with the first completion, before the second one.
            let hold = mistake == "twice" ? BackgroundPlugin.beginBackgroundTask(withName: "twice") : .invalid
            switch mistake {
            case "late":
                BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.report") { _ in }
            case "unregistered":
                try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.report"))
            case "crash":
                let colours: [String] = []
                note("the first of \(colours.count): \(colours[colours.count])")
            case "twice":
                // The process ends with the last completion; this assertion keeps it until the remaining lines are
                // written.
                let rest = BackgroundPlugin.beginBackgroundTask(withName: "rest")
                defer { BackgroundPlugin.endBackgroundTask(rest) }
                task.expirationHandler = { task.setTaskCompleted(success: false) }
                task.setTaskCompleted(success: true)
                note("the expiration handler is gone: \(task.expirationHandler == nil)")
                task.setTaskCompleted(success: true)
                note("still there")
                return
            default: break
            }
            note("still there")
            task.setTaskCompleted(success: true)
            BackgroundPlugin.endBackgroundTask(hold)
        }
        if mistake == "duplicate" {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh") { _ in }
        }
        if mistake == "throws" { throw CocoaError(.fileNoSuchFile) }
    }
}
