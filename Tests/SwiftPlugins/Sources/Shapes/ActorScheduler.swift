// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The form of apps whose scheduler is an actor. A second Swift task awaits the result of the work and completes.

private actor FeedSynchronizer {
    private var stored: [String] = []

    nonisolated func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: nil) { task in
            guard let task = task as? BGAppRefreshTask else { return }
            Task { await self.handle(task) }
        }
    }

    private func handle(_ task: BGAppRefreshTask) async {
        let work = Task { try await synchronize() }
        task.expirationHandler = {
            note("expired")
            work.cancel()
        }
        switch await work.result {
        case .success(let count):
            note("stored \(count)")
            task.setTaskCompleted(success: count > 0)
        case .failure(let error):
            note("failed: \(error is CancellationError)")
            task.setTaskCompleted(success: false)
        }
    }

    private func synchronize() async throws -> Int {
        async let profile = fetch("profile")
        let feeds = try await withThrowingTaskGroup(of: String.self) { group in
            for name in ["red", "green"] { group.addTask { try await self.fetch(name) } }
            var names: [String] = []
            for try await name in group { names.append(name) }
            return names
        }
        stored += feeds
        stored.append(try await profile)
        return stored.count
    }

    nonisolated private func fetch(_ name: String) async throws -> String {
        note("fetching")
        while isSlow && !isReleased { try await Task.sleep(nanoseconds: 5_000_000) }
        // The callback of an older interface.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: name) }
        }
    }
}

/// A refresh in an actor.
final class ActorScheduler: Part {
    private let synchronizer = FeedSynchronizer()

    func launch() { synchronizer.register() }
}
