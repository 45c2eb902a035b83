// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Crypto
internal import Foundation

/// A public key of OpenSSH. Ed25519 and ECDSA keys verify signatures; other types have a fingerprint only.
package struct PublicKey: Hashable, Sendable {
    /// The algorithm, such as `ssh-ed25519`.
    package let type: String
    /// The key in the binary format of SSH. Two keys are equal if these bytes are.
    package let blob: [UInt8]

    private enum Material: Hashable {
        case ed25519([UInt8])
        /// A point on a NIST curve, uncompressed.
        case ecdsa(bits: Int, [UInt8])
        case unsupported
    }

    private let material: Material

    /// Parses a key. Throws for bytes that are no key of the supported type that they name. A key of another type is
    /// not examined.
    package init(blob: [UInt8]) throws(SignatureProblem) {
        var reader = WireReader(blob)
        let type = try reader.name()
        switch type {
        case "ssh-ed25519":
            let key = try reader.string()
            guard key.count == 32, reader.isAtEnd else { throw .malformed("its public key has a wrong length") }
            material = .ed25519(key)
        case "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521":
            let curve = try reader.name()
            let point = try reader.string()
            guard type.hasSuffix("-\(curve)"), let bits = Int(curve.dropFirst("nistp".count)) else {
                throw .malformed("its public key has the type \(type), but the curve \(curve)")
            }
            guard reader.isAtEnd else { throw .malformed("its public key has a wrong length") }
            material = .ecdsa(bits: bits, point)
            guard Self.isPoint(point, bits) else { throw .malformed("its public key is not a point of its curve") }
        default:
            material = .unsupported
        }
        (self.type, self.blob) = (type, blob)
    }

    /// Parses the text form: type and base64.
    package init(type: Substring, base64: Substring) throws(SignatureProblem) {
        guard let data = Data(base64Encoded: String(base64)) else { throw .malformed("its public key is not base64") }
        try self.init(blob: Array(data))
        guard self.type == type else {
            throw .malformed("the type before its public key is \(type), but the key itself has the type \(self.type)")
        }
    }

    /// Whether this version can verify signatures of the key.
    package var isSupported: Bool { material != .unsupported }

    /// The base64 form of the key, without its type.
    package var base64: String { Data(blob).base64EncodedString() }

    /// The fingerprint, as `ssh-keygen -l` prints it.
    package var fingerprint: String {
        "SHA256:" + Data(SHA256.hash(data: blob)).base64EncodedString().prefix { $0 != "=" }
    }

    /// Whether `signature`, in the binary format of SSH, is one of this key over `bytes`. Throws for a malformed
    /// signature and for an unsupported key.
    func isSigner(of bytes: [UInt8], _ signature: [UInt8]) throws(SignatureProblem) -> Bool {
        if material == .unsupported { throw .unsupportedKey(type) }
        var reader = WireReader(signature)
        let algorithm = try reader.name()
        guard algorithm == type else {
            throw .malformed("its algorithm is \(algorithm), but its public key has the type \(type)")
        }
        let value = try reader.string()
        guard reader.isAtEnd else { throw .malformed("its decoded base64 has bytes after the signature value") }
        switch material {
        case .ed25519(let key):
            guard value.count == 64 else { throw .malformed("its ed25519 value has \(value.count) bytes, not 64") }
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key)
            return key?.isValidSignature(value, for: bytes) ?? false
        case .ecdsa(let bits, let point):
            var numbers = WireReader(value)
            let size = (bits + 7) / 8
            let raw = try numbers.integer(ofBytes: size) + numbers.integer(ofBytes: size)
            guard numbers.isAtEnd else { throw .malformed("its ECDSA value has bytes after its two numbers") }
            return Self.isValid(raw, of: bytes, point, bits)
        case .unsupported: return false
        }
    }

    private static func isPoint(_ point: [UInt8], _ bits: Int) -> Bool {
        switch bits {
        case 256: (try? P256.Signing.PublicKey(x963Representation: point)) != nil
        case 384: (try? P384.Signing.PublicKey(x963Representation: point)) != nil
        case 521: (try? P521.Signing.PublicKey(x963Representation: point)) != nil
        default: false
        }
    }

    private static func isValid(_ raw: [UInt8], of bytes: [UInt8], _ point: [UInt8], _ bits: Int) -> Bool {
        switch bits {
        case 256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: point),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        case 384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: point),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        case 521:
            guard let key = try? P521.Signing.PublicKey(x963Representation: point),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        default: return false
        }
    }
}
