// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reason why a signature is invalid or not accepted. Each message completes the sentence "the signature ...".
package enum SignatureProblem: Error, Hashable, Sendable {
    /// The signature or a key is not in a known format; the value is the flaw.
    case malformed(String)
    /// A key of a type that this version cannot verify.
    case unsupportedKey(String)
    case unsupportedHash(String)
    /// The signature was made for another purpose.
    case foreignNamespace(String)
    /// The signed bytes are others, or the signature was not made with its key.
    case invalid(fingerprint: String)
    case revoked(fingerprint: String)
    case unknownKey(fingerprint: String)
    /// The key is trusted, but not for this plugin; `principals` are the patterns of its entries.
    case foreignPrincipal(fingerprint: String, principals: String)
    case namespaceNotAllowed(fingerprint: String)
    /// The entry of the key is not valid at this time; the value is the entry's limit, as written in the file.
    case notYetValid(fingerprint: String, after: String)
    case expired(fingerprint: String, before: String)

    /// Whether the signature cannot be one of these bytes, whatever keys are trusted.
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
            "has a key of the type \(type), which this version cannot verify"
        case .unsupportedHash(let name): "has the hash algorithm \(name), which this version cannot verify"
        case .foreignNamespace(let found):
            "has the namespace \(found), not \(PluginSignature.namespace)"
        case .invalid(let key): "is by the key \(key) and does not match the file"
        case .revoked(let key): "is by the key \(key), which is revoked"
        case .unknownKey(let key): "is by the key \(key), which no usable entry of the signers file has"
        case .foreignPrincipal(let key, let principals):
            "is by the key \(key), which signs for \(principals) and not for this plugin"
        case .namespaceNotAllowed(let key):
            "is by the key \(key), whose entry does not allow the namespace \(PluginSignature.namespace)"
        case .notYetValid(let key, let after): "is by the key \(key), whose entry is valid only after \(after)"
        case .expired(let key, let before): "is by the key \(key), whose entry was valid before \(before)"
        }
    }

    package var remedy: String {
        switch self {
        case .malformed: "put the vendor's signature there again, or sign the manifest again"
        case .invalid: "sign the file again, or install the file that the vendor signed"
        case .unsupportedKey: "sign with a key of the type ed25519 or ecdsa: ssh-keygen -t ed25519"
        case .unsupportedHash: "sign with -O hashalg=sha512"
        case .foreignNamespace: "sign with: ssh-keygen -Y sign -n \(PluginSignature.namespace)"
        case .revoked: "install a version that another key has signed"
        case .unknownKey:
            "add the vendor's key with: bgtask trust add; see the problems of that file in: bgtask host check"
        case .foreignPrincipal: "add the plugin's identifier with: bgtask trust add"
        case .namespaceNotAllowed: "add \(PluginSignature.namespace) to the namespaces of the entry"
        case .notYetValid: "wait until then, or correct valid-after in the signers file"
        case .expired: "correct valid-before in the signers file, or install a version that a valid key has signed"
        }
    }
}
