// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// The authentication state of one connection, which its streams share.
package final class SenderConnection: Sendable {
    private struct State {
        var history = SenderHistory()
        var isAuthenticated = false
        var wasAuthenticated = false

        /// Notes an authenticated request; returns whether it is the first one.
        mutating func authenticate() -> Bool {
            defer { (isAuthenticated, wasAuthenticated) = (true, true) }
            return !wasAuthenticated
        }
    }

    /// Whether the connection may use Apple's protocol.
    let isHTTP2: Bool
    private let onAuthentication: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameter onAuthentication: called with the sender after the first authenticated request.
    package init(isHTTP2: Bool = true, onAuthentication: @escaping @Sendable (String) -> Void = { _ in }) {
        self.isHTTP2 = isHTTP2
        self.onAuthentication = onAuthentication
    }

    var isExhausted: Bool { state.withLock { $0.history.isExhausted } }
    func noteWrongSignature() { state.withLock { $0.history.noteWrongSignature() } }

    /// Notes a request with a valid token.
    ///
    /// - Parameter sender: the key of the token.
    func note(_ token: ProviderToken, of sender: String, at now: MonotonicTime) throws(APNsReason) {
        let isFirst = try state.withLock { state throws(APNsReason) in
            try state.history.note(token, at: now)
            return state.authenticate()
        }
        if isFirst { onAuthentication(sender) }
    }

    /// Notes a request with the secret of a webhook.
    func noteWebhook(_ sender: String) { if state.withLock({ $0.authenticate() }) { onAuthentication(sender) } }

    /// Whether a request was authenticated since the last call.
    func takeAuthentication() -> Bool {
        state.withLock { state in
            defer { state.isAuthenticated = false }
            return state.isAuthenticated
        }
    }
}
