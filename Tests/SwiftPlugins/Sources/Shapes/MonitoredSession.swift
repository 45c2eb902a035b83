// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The form of apps that hold a continued task in a main-actor object, register it with the main queue immediately
// before its submission, and refuse to wait in a queue.

@MainActor
private final class MonitoringSession {
    private var active: BGContinuedProcessingTask?
    private var elapsed: Int64 = 0

    func begin(album: Int) {
        guard active == nil else { return }
        let identifier = "com.example.colorfeed.export.\(album)"
        let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) {
            [weak self] task in
            MainActor.assumeIsolated {
                guard let self, let task = task as? BGContinuedProcessingTask else {
                    return task.setTaskCompleted(success: false)
                }
                self.run(task)
            }
        }
        guard isRegistered else { return note("not registered") }
        let request = BGContinuedProcessingTaskRequest(identifier: identifier, title: "Monitoring", subtitle: "Begins")
        request.strategy = .fail
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            note("not submitted: \(error)")
        }
    }

    private func run(_ task: BGContinuedProcessingTask) {
        active = task
        task.progress.totalUnitCount = 1_000_000
        task.expirationHandler = { [weak self] in
            MainActor.assumeIsolated {
                note("stopped on the main thread: \(Thread.isMainThread)")
                self?.active = nil
            }
        }
        Task { [weak self] in
            while let self, active === task, !isReleased {
                report(to: task)
                try? await Task.sleep(for: .milliseconds(5))
            }
            self?.end(task)
        }
    }

    private func report(to task: BGContinuedProcessingTask) {
        elapsed += 1
        task.progress.completedUnitCount = elapsed
        if elapsed == 1 { task.updateTitle(task.title, subtitle: "Runs") }
    }

    private func end(_ task: BGContinuedProcessingTask) {
        note("stopped: \(active == nil)")
        let isFinished = active === task
        active = nil
        task.expirationHandler = nil
        task.setTaskCompleted(success: isFinished)
    }
}

/// A continued task of a main-actor object, which a launch submits for a user.
final class MonitoredSession: Part {
    private let session = MonitoringSession()

    func launch() {
        // The user's action: a test requests the launch.
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.db-cleaning",
            using: .main
        ) { task in
            MainActor.assumeIsolated { self.session.begin(album: 7) }
            task.setTaskCompleted(success: true)
        }
    }
}
