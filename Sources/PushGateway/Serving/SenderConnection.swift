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
    private let onAuthentication: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter onAuthentication: called after the first authenticated request.
    package init(isHTTP2: Bool = true, onAuthentication: @escaping @Sendable () -> Void = {}) {
        self.isHTTP2 = isHTTP2
        self.onAuthentication = onAuthentication
    }

    var isExhausted: Bool { state.withLock { $0.history.isExhausted } }
    func noteWrongSignature() { state.withLock { $0.history.noteWrongSignature() } }

    func note(_ token: ProviderToken, at now: MonotonicTime) throws(APNsReason) {
        let isFirst = try state.withLock { state throws(APNsReason) in
            try state.history.note(token, at: now)
            return state.authenticate()
        }
        if isFirst { onAuthentication() }
    }

    /// Notes a request with the secret of a webhook.
    func noteWebhook() { if state.withLock({ $0.authenticate() }) { onAuthentication() } }

    /// Whether a request was authenticated since the last call.
    func takeAuthentication() -> Bool {
        state.withLock { state in
            defer { state.isAuthenticated = false }
            return state.isAuthenticated
        }
    }
}
