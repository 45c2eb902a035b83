// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reason why a signature is invalid or not accepted. Each message completes the sentence "the signature ...".
package enum SignatureProblem: Error, Hashable, Sendable {
    /// The signature or a key is not in a known format; the value is the flaw.
    case malformed(String)
    /// A key of a type that this version cannot verify.
    case unsupportedKey(String)
    case unsupportedHash(String)
    /// The signature was made for another purpose; the value is its namespace.
    case foreignNamespace(String)
    /// The signature is over other bytes, or was not made with its key.
    case invalid(fingerprint: String)
    case revoked(fingerprint: String)
    case unknownKey(fingerprint: String)
    /// The key is trusted, but not for this plugin; `principals` are the patterns of its entries.
    case foreignPrincipal(fingerprint: String, principals: String)
    case namespaceNotAllowed(fingerprint: String)
    /// No allowed entry of the key is valid yet, and none has expired; `after` is the begin of the validity, as written
    /// in the file.
    case notYetValid(fingerprint: String, after: String)
    case expired(fingerprint: String, before: String)

    /// Whether the signature is no valid signature of the manifest's bytes, whatever keys are trusted.
    package var isBroken: Bool {
        switch self {
        case .malformed, .foreignNamespace, .invalid: true
        default: false
        }
    }

    package var message: String {
        switch self {
        case .malformed(let flaw): "is malformed: \(flaw)"
        case .unsupportedKey(let type):
            "has a key of the type \(type), whose signatures this version of bgtask cannot verify"
        case .unsupportedHash(let name): "has the hash algorithm \(name), which this version of bgtask does not support"
        case .foreignNamespace(let found):
            "has the namespace \(found), not \(PluginSignature.namespace)"
        case .invalid(let key): "is by the key \(key) and does not match the manifest"
        case .revoked(let key): "is by the key \(key), which is revoked"
        case .unknownKey(let key): "is by the key \(key), which no usable entry of the signers file has"
        case .foreignPrincipal(let key, let principals):
            "is by the key \(key), which signs for \(principals) and not for this plugin"
        case .namespaceNotAllowed(let key):
            "is by the key \(key), whose entry in the signers file does not allow the namespace"
                + " \(PluginSignature.namespace)"
        case .notYetValid(let key, let after):
            "is by the key \(key), whose entry in the signers file is valid only from \(after) on"
        case .expired(let key, let before):
            "is by the key \(key), whose entry in the signers file was valid only until \(before)"
        }
    }

    /// The remedy for a key of an unsupported type, in a signature, in a signers file or as an argument.
    static let unsupportedKeyRemedy =
        "the signer must sign with a key of the type ed25519 or ecdsa; make one with: ssh-keygen -t ed25519"

    package var remedy: String {
        switch self {
        case .malformed: "replace it by the vendor's signature, or sign the manifest again"
        case .invalid: "install the manifest and the signature of one version again, or sign the manifest again"
        case .unsupportedKey: Self.unsupportedKeyRemedy
        case .unsupportedHash:
            "sign the manifest again, with: ssh-keygen -Y sign -n \(PluginSignature.namespace) -O hashalg=sha512"
        case .foreignNamespace: "sign the manifest again, with: ssh-keygen -Y sign -n \(PluginSignature.namespace)"
        case .revoked: "install a version that another key has signed"
        case .unknownKey:
            "add the vendor's key with: bgtask trust add; if the signers file has the key, see its unusable lines in:"
                + " bgtask trust list"
        case .foreignPrincipal: "add the plugin's identifier with: bgtask trust add"
        case .namespaceNotAllowed: "add \(PluginSignature.namespace) to namespaces= of this entry"
        case .notYetValid: "wait until then, or correct valid-after of this entry"
        case .expired: "correct valid-before of this entry, or install a version that a valid key has signed"
        }
    }
}
