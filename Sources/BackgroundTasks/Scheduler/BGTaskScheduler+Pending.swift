// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    /// Asks for the pending requests of the main plugin, oldest first. Tasks that run are not among them.
    ///
    /// What is listed are copies. Of requests that this process did not submit the host tells identifier, kind, date and
    /// needs, but neither titles nor payload.
    ///
    /// - Parameter completionHandler: called on an arbitrary queue.
    @preconcurrency
    public func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        Host.waitingQueue.async { completionHandler(self.pending()) }
    }

    /// The pending requests of the main plugin, like ``getPendingTaskRequests(completionHandler:)``.
    public func pendingTaskRequests() async -> [BGTaskRequest] {
        await withCheckedContinuation { continuation in
            getPendingTaskRequests { continuation.resume(returning: $0) }
        }
    }

    private func pending() -> [BGTaskRequest] {
        guard let host = Host.current else { return [] }
        let (status, waiting) = host.pending()
        if status != .ok { host.log(.error, "the pending requests are not to be had: \(host.name(of: status))") }
        return waiting.compactMap { submissions.request(for: $0) ?? $0.request }
    }
}
