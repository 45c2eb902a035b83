// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// The authentication state of one connection, which its streams share.
package final class SenderConnection: Sendable {
    private struct State {
        var history = SenderHistory()
        var isAuthenticated = false
    }

    private let state = Mutex(State())

    package init() {}

    var isExhausted: Bool { state.withLock { $0.history.isExhausted } }
    func noteWrongSignature() { state.withLock { $0.history.noteWrongSignature() } }

    func note(_ token: ProviderToken, at now: MonotonicTime) throws(APNsReason) {
        try state.withLock { state throws(APNsReason) in
            try state.history.note(token, at: now)
            state.isAuthenticated = true
        }
    }

    /// Notes a request with the secret of a webhook.
    func noteWebhook() { state.withLock { $0.isAuthenticated = true } }

    /// Whether a request was authenticated since the last call.
    func takeAuthentication() -> Bool {
        state.withLock { state in
            defer { state.isAuthenticated = false }
            return state.isAuthenticated
        }
    }
}
