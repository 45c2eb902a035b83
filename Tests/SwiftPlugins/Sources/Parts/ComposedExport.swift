// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

/// Runs continued tasks that a user submitted outside of a launch. The progress is composed of child progresses, or has
/// an unknown total with the setting `total: unknown`.
final class ComposedExport: Part {
    func launch() {
        note(
            "a pattern is taken: \(BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.export.*") { _ in })"
        )
        for identifier in BackgroundPlugin.launch?.identifiers ?? [] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier) { task in
                guard let task = task as? BGContinuedProcessingTask else { return }
                self.export(task)
            }
        }
    }

    nonisolated func export(_ task: BGContinuedProcessingTask) {
        note("\(task.identifier): \(task.title), \(task.subtitle)")
        let work = Task.detached {
            if BackgroundPlugin.setting("total") == "unknown" {
                for _ in 0..<50 { task.progress.completedUnitCount += 1 }
                while !isReleased && !Task.isCancelled { try? await Task.sleep(nanoseconds: 5_000_000) }
                return task.setTaskCompleted(success: true)
            }
            task.progress.totalUnitCount = 2
            // An explicit child, and one that a library creates implicitly.
            let photos = Progress(totalUnitCount: 100)
            task.progress.addChild(photos, withPendingUnitCount: 1)
            for _ in 0..<50 { photos.completedUnitCount += 1 }
            while !isReleased && !Task.isCancelled { try? await Task.sleep(nanoseconds: 5_000_000) }
            photos.completedUnitCount = 100
            Self.convert(task.progress)
            note("progress \(task.progress.fractionCompleted)")
            task.setTaskCompleted(success: !Task.isCancelled)
        }
        task.expirationHandler = {
            note("stopped: \(String(describing: task.expirationReason))")
            work.cancel()
        }
    }

    nonisolated static func convert(_ progress: Progress) {
        progress.becomeCurrent(withPendingUnitCount: 1)
        let conversion = Progress(totalUnitCount: 10)
        conversion.completedUnitCount = 10
        progress.resignCurrent()
    }
}
