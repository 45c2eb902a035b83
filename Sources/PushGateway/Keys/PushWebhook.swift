// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
package import TaskModel

/// A webhook: a secret path by which senders push to one plugin. The gateway keeps only the digest of the secret.
package struct PushWebhook: Hashable, Sendable {
    package static let pathPrefix = "/push/"
    private static let secretSize = 32

    package let plugin: PluginIdentifier
    /// The SHA-256 of the secret, as 64 hexadecimal digits.
    package let digest: String

    /// The name of the webhook in lists: the first digits of its digest.
    package var name: String { String(digest.prefix(12)) }

    /// Creates a webhook from its stored digest; nil for a malformed one.
    package init?(plugin: PluginIdentifier, digest: String) {
        guard PushToken(hexadecimal: digest) != nil else { return nil }
        self.plugin = plugin
        self.digest = digest.lowercased()
    }

    private init(plugin: PluginIdentifier, secret: String) {
        self.plugin = plugin
        digest = Self.digest(of: secret)
    }

    /// A webhook with a new random secret, of 256 bits, and the secret's text.
    package static func new(for plugin: PluginIdentifier) -> (webhook: PushWebhook, secret: String) {
        var random = SystemRandomNumberGenerator()
        let secret = PushToken(using: &random).hexadecimal
        return (PushWebhook(plugin: plugin, secret: secret), secret)
    }

    /// The digest of the secret in a path; nil for another path. Secrets are found by their digests, so that the time
    /// of a comparison does not depend on the secret.
    package static func digest(inPath path: String) -> String? {
        let path = path.prefix { $0 != "?" }
        guard path.hasPrefix(pathPrefix) else { return nil }
        let secret = path.dropFirst(pathPrefix.count)
        return secret.utf8.count == 2 * secretSize ? digest(of: String(secret)) : nil
    }

    private static func digest(of secret: String) -> String {
        SHA256.hash(data: Array(secret.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
