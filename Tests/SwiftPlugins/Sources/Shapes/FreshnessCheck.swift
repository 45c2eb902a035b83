// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The form of apps that complete at once while the data of the last launch is fresh, and repeat a failed refresh
// sooner than a successful one.

private struct FeedUpdater: Sendable {
    struct Unreachable: Error {}

    static let identifier = "com.example.colorfeed.refresh"

    /// Whether a launch has stored data. The container outlives the process.
    private var isFresh: Bool {
        guard let file = stateFile else { return false }
        return FileManager.default.fileExists(atPath: file.path)
    }

    private var stateFile: URL? { BackgroundPlugin.containerURL?.appendingPathComponent("refreshed") }

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) { task in
            guard !isFresh else {
                note("fresh")
                task.setTaskCompleted(success: true)
                schedule(after: 12 * 60 * 60)
                return
            }
            let update = Task {
                do {
                    try await refresh()
                    schedule(after: 12 * 60 * 60)
                    task.setTaskCompleted(success: true)
                } catch {
                    note("failed: \(error)")
                    schedule(after: 60 * 60)
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { update.cancel() }
        }
    }

    private func refresh() async throws {
        if BackgroundPlugin.setting("trouble") == "true" { throw Unreachable() }
        guard let stateFile else { return }
        try Data().write(to: stateFile)
        note("refreshed")
    }

    private func schedule(after interval: TimeInterval) {
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: interval)
        try? BGTaskScheduler.shared.submit(request)
    }
}

/// A refresh that depends on the data of earlier launches. With the setting `trouble` it fails.
final class FreshnessCheck: Part {
    private let updater = FeedUpdater()

    func launch() { updater.register() }
}
