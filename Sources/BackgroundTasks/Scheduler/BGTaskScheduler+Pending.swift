// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    /// Lists the pending requests of the main plugin, oldest first, without running tasks.
    ///
    /// The requests are copies. Requests of other processes, such as earlier launches or a user's command, are included
    /// with their payload and titles.
    ///
    /// - Parameter completionHandler: called on an arbitrary queue. Not called when the host does not return the
    ///   requests: the launch has ended, the host is gone, or it could not read them. An empty list would be wrong
    ///   then.
    @preconcurrency
    public func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        Host.waitingQueue.async {
            if let requests = self.pending() { completionHandler(requests) }
        }
    }

    /// The pending requests of the main plugin, like ``getPendingTaskRequests(completionHandler:)``. Never returns when
    /// the host does not return the requests.
    public func pendingTaskRequests() async -> [BGTaskRequest] {
        // A checked continuation would report a leak when the launch has ended, because it is never resumed then.
        await withUnsafeContinuation { continuation in
            getPendingTaskRequests { continuation.resume(returning: $0) }
        }
    }

    /// Copies of the pending requests; empty outside of a host, nil when the host did not return them.
    private func pending() -> [BGTaskRequest]? {
        guard let host = Host.current else { return [] }
        let (status, waiting) = host.pending()
        guard status == .ok else {
            host.log(.error, "the pending requests could not be read: \(host.cause(of: status))")
            return nil
        }
        return waiting.compactMap { submissions.request(for: $0) ?? $0.request }
    }
}
