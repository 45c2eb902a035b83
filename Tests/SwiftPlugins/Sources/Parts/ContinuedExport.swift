// Part of bgtask, under the Apache License 2.0; see LICENSE.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import BackgroundTasks

/// A continued task that a launch submits for a user. Its handler is registered immediately before. The setting
/// `identifier` replaces its identifier.
final class ContinuedExport: Part {
    func launch() {
        // The user's action: a test simulates the launch.
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.db-cleaning", using: nil) {
            task in
            Exporter.shared.startExport()
            task.setTaskCompleted(success: true)
        }
    }
}

private final class Exporter: Sendable {
    static let shared = Exporter()

    func startExport() {
        let identifier = BackgroundPlugin.setting("identifier") ?? "com.example.colorfeed.export.photos"
        let request = BGContinuedProcessingTaskRequest(
            identifier: identifier,
            title: "Exporting Photos",
            subtitle: "Processing 8 items"
        )
        request.strategy = .queue
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: identifier,
            using: nil
        ) { task in
            let continuedTask = task as! BGContinuedProcessingTask
            Task {
                await self.performExport(task: continuedTask)
            }
        }
        let supported = BGTaskScheduler.shared.supportedResources
        if supported.contains(.gpu) {
            note("with graphics: \(BGTaskScheduler.supportedResources == .gpu)")
        }
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            note("Could not submit continued processing task: \(error)")
        }
    }

    func performExport(task: BGContinuedProcessingTask) async {
        let items = Array(0..<8)
        let progress = task.progress
        progress.totalUnitCount = Int64(items.count)
        for index in items.indices {
            if Task.isCancelled { break }
            progress.completedUnitCount = Int64(index + 1)
            task.updateTitle(
                "Exporting Photos",
                subtitle: "\(index + 1) of \(items.count) complete"
            )
            if index == 4 { while !isReleased { try? await Task.sleep(nanoseconds: 5_000_000) } }
        }
        note("exported \(task.title), \(task.subtitle)")
        task.setTaskCompleted(success: !Task.isCancelled)
    }
}
