// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import FoundationEssentials
package import TaskModel

/// A key that senders sign their tokens with: its public part, and the plugins that it may push to.
package struct PushKey: Hashable, Sendable {
    package let id: String
    package let team: String
    package let plugins: [PluginPattern]
    /// The public key in PEM.
    package let publicKey: String
    private let bytes: Data

    /// Creates a key from the PEM of a public key, or of a private one (Apple's .p8 file), of which only the public
    /// part is kept. Throws the message of the flaw.
    package init(id: String, team: String, plugins: [PluginPattern], pem: String) throws(KeyFlaw) {
        guard Self.isIdentifier(id) else { throw .identifier(id) }
        guard Self.isIdentifier(team) else { throw .team(team) }
        if plugins.isEmpty { throw .withoutPlugins }
        guard let key = Self.publicKey(pem) else { throw .notP256 }
        self.id = id
        self.team = team
        self.plugins = plugins
        publicKey = key.pemRepresentation
        bytes = key.x963Representation
    }

    package func mayPush(to plugin: PluginIdentifier) -> Bool { plugins.contains { $0.matches(plugin) } }

    /// Whether the key signed `content` by ES256.
    func verifies(_ content: Data, signature: Data) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: bytes),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: content)
    }

    private static func publicKey(_ pem: String) -> P256.Signing.PublicKey? {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) { return key }
        return try? P256.Signing.PrivateKey(pemRepresentation: pem).publicKey
    }

    /// Whether a text is a key or team identifier: 1 to 32 letters and digits. Apple's have 10.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }
}

/// The flaw of a key that is added or read.
package enum KeyFlaw: Error, Hashable, Sendable, CustomStringConvertible {
    case identifier(String)
    case team(String)
    case withoutPlugins
    case notP256

    package var description: String {
        switch self {
        case .identifier(let text): "the key identifier \(text.inQuotes) has other than 1 to 32 letters and digits"
        case .team(let text): "the team \(text.inQuotes) has other than 1 to 32 letters and digits"
        case .withoutPlugins: "the key has no plugins; name at least one, or * for all"
        case .notP256: "the file has no key of the curve P-256 in PEM, which ES256 needs"
        }
    }
}
