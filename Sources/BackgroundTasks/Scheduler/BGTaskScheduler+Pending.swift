// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    /// Asks for the pending requests of the main plugin, oldest first. Tasks that run are not among them.
    ///
    /// What is listed are copies. Of requests that this process did not submit the host tells identifier, kind, date and
    /// needs, but neither titles nor payload.
    ///
    /// - Parameter completionHandler: called on an arbitrary queue. Not called when the launch has ended and the host
    ///   cannot be asked any more: the process is about to end, and an empty list would be wrong.
    @preconcurrency
    public func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        Host.waitingQueue.async {
            if let requests = self.pending() { completionHandler(requests) }
        }
    }

    /// The pending requests of the main plugin, like ``getPendingTaskRequests(completionHandler:)``. Does not return when
    /// the launch has ended.
    public func pendingTaskRequests() async -> [BGTaskRequest] {
        // A checked continuation would report that it is never resumed when the launch has ended.
        await withUnsafeContinuation { continuation in
            getPendingTaskRequests { continuation.resume(returning: $0) }
        }
    }

    /// Nil when the host could not be asked.
    private func pending() -> [BGTaskRequest]? {
        guard let host = Host.current else { return [] }
        let (status, waiting) = host.pending()
        guard status == .ok else {
            host.log(.error, "the pending requests are not to be had: \(host.name(of: status))")
            return nil
        }
        return waiting.compactMap { submissions.request(for: $0) ?? $0.request }
    }
}
