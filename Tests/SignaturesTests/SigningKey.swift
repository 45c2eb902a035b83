// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

@testable import Signatures

/// A signing key that the real `ssh-keygen` made, in a directory of one test.
struct SigningKey {
    let directory: ScratchDirectory
    /// Path of the private key.
    let path: String
    let publicKey: PublicKey
    /// The line of the public key file: type, base64 and comment.
    let line: String

    init(_ type: String = "ed25519", bits: Int? = nil, named name: String = "key", in directory: ScratchDirectory)
        async throws
    {
        self.directory = directory
        path = directory.file(name)
        let size = bits.map { ["-b", "\($0)"] } ?? []
        try await Self.keygen(["-q", "-t", type, "-N", "", "-C", "vendor", "-f", path] + size)
        line = (directory.text(of: "\(name).pub") ?? "").trimmingCharacters(in: .newlines)
        let words = line.split(separator: " ")
        guard words.count > 2 else { throw HostFailure("ssh-keygen wrote \(line)") }
        publicKey = try PublicKey(type: words[0], base64: words[1])
    }

    /// Signs a file as a vendor would, and returns the text of the signature.
    func sign(_ bytes: [UInt8], _ options: [String] = [], namespace: String = PluginSignature.namespace) async throws
        -> [UInt8]
    {
        try? directory.remove("message.sig")
        let file = try directory.write(bytes, to: "message")
        try await Self.keygen(["-Y", "sign", "-q", "-f", path, "-n", namespace] + options + [file])
        return Array((directory.text(of: "message.sig") ?? "").utf8)
    }

    @discardableResult
    static func keygen(_ arguments: [String]) async throws -> String {
        let run = try await ProgramRun.of("/usr/bin/ssh-keygen", arguments)
        guard run.status == 0 else { throw HostFailure("ssh-keygen \(arguments): \(run.output)\(run.error)") }
        return run.output
    }
}
