// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    /// First delay, in seconds, before the host is asked again for its pending requests; each further failure doubles
    /// it, up to `longestDelay`.
    private static let shortestDelay = 0.05
    private static let longestDelay = 5.0

    /// Calls the handler with copies of the pending requests; with an empty list outside of a host.
    ///
    /// While the host cannot read the requests, it is asked again. The handler is never called after the end of the
    /// launch: an empty list would be wrong.
    func list(
        from host: Host?,
        after delay: TimeInterval = shortestDelay,
        _ completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void
    ) {
        guard let host else { return completionHandler([]) }
        let (status, waiting) = host.pending()
        if status == .ok { return completionHandler(waiting.compactMap { submissions.request(for: $0) ?? $0.request }) }
        let isFinal = status == .ended || status == .notOffered
        let remedy = isFinal ? "" : "; the host is asked again in \(delay) s"
        host.log(.error, "the pending requests could not be read: \(host.cause(of: status))\(remedy)")
        if isFinal { return }
        Host.waitingQueue.asyncAfter(deadline: .now() + delay) {
            self.list(from: host, after: min(2 * delay, Self.longestDelay), completionHandler)
        }
    }
}
