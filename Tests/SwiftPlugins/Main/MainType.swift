// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksMain

/// A plugin with a main type. Its launch suspends twice, off the main actor and on it, before it registers the handler.
/// The setting `fails` makes the launch throw.
@main
struct MainType: BackgroundPluginMain {
    struct Refused: Error {}

    private let began = Date()

    func launch() async throws {
        let isOff = await Self.isOffMainThread()
        await Task { @MainActor in await Task.yield() }.value
        if BackgroundPlugin.setting("fails") == "true" { throw Refused() }
        let isMain = Thread.isMainThread
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: nil) { task in
            BackgroundPlugin.log("registered after an await: off \(isOff), main \(isMain)")
            task.setTaskCompleted(success: began <= Date())
        }
    }

    @concurrent nonisolated private static func isOffMainThread() async -> Bool { !isMainThread() }

    nonisolated private static func isMainThread() -> Bool { Thread.isMainThread }
}
