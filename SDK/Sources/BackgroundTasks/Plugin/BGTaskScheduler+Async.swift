// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

// Async functions as handlers, an addition of this platform, like all files of this directory.
extension BGTaskScheduler {
    /// Registers an async launch handler. When the handler returns, the task is completed as successful; when the
    /// handler throws, as failed. Expiration cancels the Swift task in which the handler runs.
    ///
    ///     BGTaskScheduler.shared.handle(taskWithIdentifier: "com.example.colorfeed.refresh") { task in
    ///         try await feed.refresh()
    ///     }
    ///
    /// The handler may also complete the task itself. For the rules see
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
    /// Sets an async receiver of the plugin's events, like ``receiveEvents(_:)``. The return of the receiver completes
    /// the event as successful, an error completes it as failed, as in
    /// ``BGTaskScheduler/handle(taskWithIdentifier:operation:)``.
    public static func handleEvents(_ operation: @escaping @Sendable (BackgroundEvent) async throws -> Void) {
        receiveEvents { event in event.perform { try await operation(event) } }
    }
}

extension BGTask {
    func perform(_ operation: @escaping @Sendable () async throws -> Void) {
        // Unstructured: the handler returns to the host's queue, and expiration cancels the task from another thread.
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
