// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Crypto
internal import Foundation

/// The digests of a file by which a signature refers to it.
package struct MessageDigests: Hashable, Sendable {
    let sha256: [UInt8]
    let sha512: [UInt8]

    package init(of bytes: [UInt8]) {
        sha256 = Array(SHA256.hash(data: bytes))
        sha512 = Array(SHA512.hash(data: bytes))
    }
}

/// A signature of a manifest in the format SSHSIG, as `ssh-keygen -Y sign` writes it.
package struct PluginSignature: Hashable, Sendable {
    /// The purpose for which the signature is made. Signatures with another namespace are refused.
    package static let namespace = "bgtask-plugin-v1"
    /// Suffix of the file with the signature, behind the full name of the manifest.
    package static let suffix = ".sig"

    package let key: PublicKey
    private let namespace: String
    private let reserved: [UInt8]
    private let hash: String
    private let value: [UInt8]

    /// Parses a signature file: base64 text between two lines.
    package init(text: [UInt8]) throws(SignatureProblem) {
        let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard lines.first == "-----BEGIN SSH SIGNATURE-----", lines.last == "-----END SSH SIGNATURE-----",
            lines.count > 2
        else { throw .malformed("it is not text between the lines BEGIN SSH SIGNATURE and END SSH SIGNATURE") }
        guard let data = Data(base64Encoded: lines.dropFirst().dropLast().joined()) else {
            throw .malformed("the text between its first and its last line is not base64")
        }
        var reader = WireReader(Array(data))
        guard try reader.bytes(6) == Array("SSHSIG".utf8) else {
            throw .malformed("its decoded base64 does not begin with SSHSIG")
        }
        let version = try reader.number()
        guard version == 1 else { throw .malformed("its format is SSHSIG version \(version), not version 1") }
        key = try PublicKey(blob: try reader.string())
        namespace = try reader.name()
        reserved = try reader.string()
        hash = try reader.name()
        value = try reader.string()
        guard reader.isAtEnd else { throw .malformed("its decoded base64 has bytes after the signature") }
    }

    /// Verifies that the signature was made for plugins, with its key, over a file with these digests. Throws when it
    /// was not, and when its algorithm is not supported. Whether the key is trusted is not checked.
    package func verify(_ digests: MessageDigests) throws(SignatureProblem) {
        guard namespace == Self.namespace else { throw .foreignNamespace(namespace) }
        let digest: [UInt8]
        switch hash {
        case "sha256": digest = digests.sha256
        case "sha512": digest = digests.sha512
        default: throw .unsupportedHash(hash)
        }
        var signed = WireWriter()
        signed.append("SSHSIG".utf8)
        signed.append(string: Array(namespace.utf8))
        signed.append(string: reserved)
        signed.append(string: Array(hash.utf8))
        signed.append(string: digest)
        guard try key.isSigner(of: signed.bytes, value) else { throw .invalid(fingerprint: key.fingerprint) }
    }
}
