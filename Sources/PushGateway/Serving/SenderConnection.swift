// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// The authentication state of one connection, which its streams share.
package final class SenderConnection: Sendable {
    private let history = Mutex(SenderHistory())

    package init() {}

    var isExhausted: Bool { history.withLock { $0.isExhausted } }
    func noteWrongSignature() { history.withLock { $0.noteWrongSignature() } }

    func note(_ token: ProviderToken, at now: MonotonicTime) throws(APNsReason) {
        try history.withLock { history throws(APNsReason) in try history.note(token, at: now) }
    }
}
