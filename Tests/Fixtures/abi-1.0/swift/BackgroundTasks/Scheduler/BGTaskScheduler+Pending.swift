// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    /// Copies of the pending requests; empty outside of a host, nil when the host did not return them.
    func pending() -> [BGTaskRequest]? {
        guard let host = Host.current else { return [] }
        let (status, waiting) = host.pending()
        guard status == .ok else {
            host.log(.error, "the pending requests could not be read: \(host.cause(of: status))")
            return nil
        }
        return waiting.compactMap { submissions.request(for: $0) ?? $0.request }
    }
}
