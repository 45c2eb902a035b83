// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// What this process submitted, so that the pending list holds those requests whole. The host knows better what is still
/// pending; a request that was replaced since has another submission number and is not found here.
final class SubmissionMemory: Sendable {
    private struct Kept {
        let submission: UInt64
        let request: BGTaskRequest
    }

    private let kept = Mutex<[String: Kept]>([:])

    /// - Parameter request: a copy that nobody changes any more.
    func keep(_ request: BGTaskRequest, as submission: UInt64) {
        kept.withLock { kept in
            // Two threads may submit one identifier; the host's numbers say whose came last.
            if let known = kept[request.identifier], known.submission > submission { return }
            kept[request.identifier] = Kept(submission: submission, request: request)
        }
    }

    /// A copy of what was submitted under that number; nil when it was another process.
    func request(for pending: PendingRequest) -> BGTaskRequest? {
        let known = kept.withLock { $0[pending.identifier] }
        guard let known, known.submission == pending.submission else { return nil }
        return known.request.duplicate()
    }
}
