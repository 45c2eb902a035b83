// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// Copies of the requests that this process submitted. The pending list returns these copies, because they have all
/// properties. The host's list decides which requests are pending. The copy of a request that was replaced by another
/// process is not returned: the pending request has another submission number.
final class SubmissionMemory: Sendable {
    private struct Kept {
        let submission: UInt64
        let request: BGTaskRequest
    }

    private let kept = Mutex<[String: Kept]>([:])

    /// Keeps a request under its submission number.
    ///
    /// - Parameter request: a copy that is no longer changed.
    func keep(_ request: BGTaskRequest, as submission: UInt64) {
        kept.withLock { kept in
            // Two threads may submit one identifier; the higher number is the later submission.
            if let known = kept[request.identifier], known.submission > submission { return }
            kept[request.identifier] = Kept(submission: submission, request: request)
        }
    }

    /// A copy of the request with the submission number of `pending`; nil when another process submitted it.
    func request(for pending: PendingRequest) -> BGTaskRequest? {
        let known = kept.withLock { $0[pending.identifier] }
        guard let known, known.submission == pending.submission else { return nil }
        return known.request.duplicate()
    }
}
