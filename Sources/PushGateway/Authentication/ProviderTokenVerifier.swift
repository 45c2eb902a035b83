// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import FoundationEssentials
import Synchronization
package import TaskModel

/// The flaw of a token that is not accepted.
package enum ProviderTokenFlaw: Error, Hashable, Sendable {
    /// No key has the identifier and the team of the token.
    case unknownKey
    /// The configured key did not sign the token. Only this flaw costs the verification of a signature.
    case wrongSignature
    case expired
    case fromTheFuture

    var reason: APNsReason { self == .expired ? .expiredProviderToken : .invalidProviderToken }
}

/// Verifies the tokens of senders, and keeps the verified ones: a sender uses a token for up to an hour.
package final class ProviderTokenVerifier: Sendable {
    /// Maximum age of a token.
    private static let maximumAge: Duration = .seconds(3600)
    /// Maximum difference between the clocks of sender and gateway.
    private static let skew: Duration = .seconds(60)
    /// Maximum number of kept tokens; all are dropped at this number.
    private static let capacity = 1000

    private struct Verified {
        let token: ProviderToken
        /// The key that signed the token. A replaced key has other bytes, so that its tokens are verified anew.
        let key: PushKey
    }

    /// The verified tokens by their text.
    private let tokens = Mutex<[String: Verified]>([:])

    package init() {}

    /// The verified token with the text; nil for any other text. Its key and its age may have changed since.
    package func verified(_ text: String) -> ProviderToken? { tokens.withLock { $0[text]?.token } }

    /// Returns the key of a valid token.
    ///
    /// - Parameter key: returns the configured key with an identifier; nil for an unknown one.
    package func key(
        of token: ProviderToken,
        at now: WallTime,
        key: (String) -> PushKey?
    ) throws(ProviderTokenFlaw) -> PushKey {
        guard let key = key(token.keyID), key.team == token.team else { throw .unknownKey }
        let isKnown = tokens.withLock { $0[token.text]?.key == key }
        if !isKnown {
            guard key.verifies(token.content, signature: token.signature) else { throw .wrongSignature }
            tokens.withLock { tokens in
                if tokens.count >= Self.capacity { tokens.removeAll() }
                tokens[token.text] = Verified(token: token, key: key)
            }
        }
        if now - token.issuedAt > Self.maximumAge { throw .expired }
        if token.issuedAt - now > Self.skew { throw .fromTheFuture }
        return key
    }
}
