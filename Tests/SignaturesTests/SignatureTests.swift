// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import Foundation
import HostTestKit
import Testing

@testable import Signatures

@Suite("A signature of ssh-keygen is accepted for the signed bytes, and refused for changed bytes")
struct SignatureTests {
    private static let manifest = Array("manifest: 1\nidentifier: com.example.feed\n".utf8)

    private func problem(_ text: [UInt8], of bytes: [UInt8] = Self.manifest) -> SignatureProblem? {
        do throws(SignatureProblem) {
            try PluginSignature(text: text).verify(MessageDigests(of: bytes))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [("ed25519", nil), ("ecdsa", 256), ("ecdsa", 384), ("ecdsa", 521)] as [(String, Int?)])
    func `a signature that ssh-keygen made is valid, and changed bytes invalidate it`(type: String, bits: Int?)
        async throws
    {
        try await ScratchDirectory.with { directory in
            let key = try await SigningKey(type, bits: bits, in: directory)
            for options in [[], ["-O", "hashalg=sha256"]] {
                let text = try await key.sign(Self.manifest, options)
                #expect(problem(text) == nil)
                #expect(try PluginSignature(text: text).key == key.publicKey)
                let fingerprint = key.publicKey.fingerprint
                #expect(problem(text, of: Self.manifest + [10]) == .invalid(fingerprint: fingerprint))
            }
            let listed = try await SigningKey.keygen(["-l", "-f", key.path + ".pub"])
            #expect(listed.contains(" \(key.publicKey.fingerprint) "))
        }
    }

    @Test func `a signature for another namespace is refused, and the problem names that namespace`() async throws {
        try await ScratchDirectory.with { directory in
            let text = try await SigningKey(in: directory).sign(Self.manifest, namespace: "git")
            #expect(problem(text) == .foreignNamespace("git"))
        }
    }

    @Test func `a signature of an RSA key is refused with the type of the key`() async throws {
        try await ScratchDirectory.with { directory in
            let text = try await SigningKey("rsa", bits: 2048, in: directory).sign(Self.manifest)
            #expect(problem(text) == .unsupportedKey("ssh-rsa"))
        }
    }

    @Test func `a truncated or changed signature is refused without a trap`() async throws {
        try await ScratchDirectory.with { directory in
            for (type, bits) in [("ed25519", nil), ("ecdsa", 256)] as [(String, Int?)] {
                let key = try await SigningKey(type, bits: bits, named: "key\(type)", in: directory)
                let text = String(decoding: try await key.sign(Self.manifest), as: UTF8.self)
                let lines = text.split(separator: "\n")
                let binary = Array(try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined())))
                for count in 0..<binary.count { #expect(problem(Self.armored(Array(binary[..<count]))) != nil) }
                for position in binary.indices {
                    for change in [1, 0x80, 0xff] as [UInt8] {
                        var changed = binary
                        changed[position] ^= change
                        // The reserved field is part of the signed data too, so every change counts.
                        #expect(problem(Self.armored(changed)) != nil, "byte \(position)")
                    }
                }
                for count in stride(from: 0, to: text.utf8.count - 1, by: 7) {
                    #expect(problem(Array(text.utf8.prefix(count))) != nil)
                }
            }
            var random = SystemRandomNumberGenerator()
            for _ in 0..<2000 {
                let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255) }
                #expect(problem(bytes) != nil)
                #expect(problem(Self.armored(Array("SSHSIG".utf8) + [0, 0, 0, 1] + bytes)) != nil)
            }
        }
    }

    @Test func `ssh-keygen accepts a signature in the format that this module reads`() async throws {
        try await ScratchDirectory.with { directory in
            let key = Curve25519.Signing.PrivateKey()
            var blob = WireWriter()
            blob.append(string: Array("ssh-ed25519".utf8))
            blob.append(string: Array(key.publicKey.rawRepresentation))
            let publicKey = try PublicKey(blob: blob.bytes)

            var signed = WireWriter()
            signed.append("SSHSIG".utf8)
            for field in [Array(PluginSignature.namespace.utf8), [], Array("sha512".utf8)] {
                signed.append(string: field)
            }
            signed.append(string: Array(SHA512.hash(data: Self.manifest)))
            var value = WireWriter()
            value.append(string: Array("ssh-ed25519".utf8))
            value.append(string: Array(try key.signature(for: signed.bytes)))
            var signature = WireWriter()
            signature.append("SSHSIG".utf8)
            signature.append([0, 0, 0, 1])
            for field in [blob.bytes, Array(PluginSignature.namespace.utf8), [], Array("sha512".utf8), value.bytes] {
                signature.append(string: field)
            }
            let text = Self.armored(signature.bytes)
            #expect(problem(text) == nil)

            let file = try directory.write(text, to: "feed.yaml.sig")
            let entry = "com.example.* \(publicKey.type) \(publicKey.base64)\n"
            let signers = try directory.write(entry.utf8, to: "allowed_signers")
            let manifest = try directory.write(Self.manifest, to: "feed.yaml")
            let verify =
                "ssh-keygen -Y verify -f \(signers) -I com.example.feed -n \(PluginSignature.namespace) -s \(file) < \(manifest)"
            let run = try await ProgramRun.of("/bin/sh", ["-c", verify])
            #expect(run.status == 0, "\(run.output)\(run.error)")
        }
    }

    private static func armored(_ bytes: [UInt8]) -> [UInt8] {
        let text = Data(bytes).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        return Array("-----BEGIN SSH SIGNATURE-----\n\(text)\n-----END SSH SIGNATURE-----\n".utf8)
    }
}
