// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

// Handlers as async functions. This platform's own, like all of this folder.
extension BGTaskScheduler {
    /// Registers an async launch handler: its return completes the task, an error completes it without success, and
    /// expiration cancels the Swift task that it runs in.
    ///
    ///     BGTaskScheduler.shared.handle(taskWithIdentifier: "com.example.colorfeed.refresh") { task in
    ///         try await feed.refresh()
    ///     }
    ///
    /// A handler that completes the task itself may do so. Otherwise as
    /// ``register(forTaskWithIdentifier:using:launchHandler:)``.
    @discardableResult
    public func handle(
        taskWithIdentifier identifier: String,
        operation: @escaping @Sendable (BGTask) async throws -> Void
    ) -> Bool {
        register(forTaskWithIdentifier: identifier) { task in task.perform { try await operation(task) } }
    }
}

extension BackgroundPlugin {
    /// Like ``receiveEvents(_:)``, with an async receiver that completes the event as
    /// ``BGTaskScheduler/handle(taskWithIdentifier:operation:)`` completes a task.
    public static func handleEvents(_ operation: @escaping @Sendable (BackgroundEvent) async throws -> Void) {
        receiveEvents { event in event.perform { try await operation(event) } }
    }
}

extension BGTask {
    func perform(_ operation: @escaping @Sendable () async throws -> Void) {
        // No structure can hold it: the handler returns to the host's queue, and expiration cancels it from there.
        let work = Task {
            do {
                try await operation()
                if !isCompleted { complete(.success) }
            } catch {
                if !(error is CancellationError) {
                    delivered.host.log(.error, "\(identifier) failed: \(error)")
                }
                if !isCompleted { complete(.failure) }
            }
        }
        cancelOnExpiration(work)
    }
}
