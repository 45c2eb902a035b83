// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@testable import Signatures

@Suite("A signers file and a list of revoked keys have the meaning that ssh-keygen gives them")
struct SignersFileTests {
    /// 2026-06-15 12:00:00 UTC.
    private static let noon: Int64 = 1_781_524_800

    private func verdict(_ text: String, _ key: PublicKey, _ principal: String, at now: Int64 = Self.noon) -> String {
        do throws(SignatureProblem) {
            return "line \(try SignersFile(text: text).entry(for: key, principal: principal, at: now).line)"
        } catch {
            return "\(error)".prefix { $0 != "(" }.description
        }
    }

    @Test(arguments: [
        ("com.example.feed", "com.example.feed", true), ("com.example.*", "com.example.feed", true),
        ("*", "org.other", true), ("com.example.?", "com.example.feed", false),
        ("*,!com.example.feed", "com.example.feed", false), ("*,!com.example.feed", "com.example.other", true),
        ("a.b,com.example.*", "com.example.x", true), ("com.example", "com.example.x", false), ("", "a.b", false),
        ("*.*.*.*.*.*b", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", false),
    ])
    func `patterns of principals match with asterisks, question marks and negation`(
        patterns: String,
        name: String,
        matches: Bool
    ) {
        #expect(PatternList(patterns).matches(name) == matches)
    }

    @Test
    func `an entry of a signers file counts for its principals, namespaces and time, as ssh-keygen decides`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let key = try await SigningKey(in: directory)
            let public2 = key.line.split(separator: " ").prefix(2).joined(separator: " ")
            let cases = [
                ("com.example.* KEY", "line 1"), ("# comment\n\n\"com.example.*\" KEY comment of key", "line 3"),
                ("org.* KEY", "foreignPrincipal"), ("com.example.* namespaces=\"git\" KEY", "namespaceNotAllowed"),
                ("com.example.* namespaces=\"git,bgtask-plugin-*\" KEY", "line 1"),
                ("com.example.* valid-after=\"20260615Z\" KEY", "line 1"),
                ("com.example.* valid-after=\"20260616Z\" KEY", "notYetValid"),
                ("com.example.* valid-before=\"20260615115959Z\" KEY", "expired"),
                ("com.example.* valid-before=\"202606151201Z\" KEY", "line 1"),
                ("com.example.* valid-before=\"20260101Z\" KEY\ncom.example.feed KEY", "line 2"),
                ("com.example.* valid-after=\"20260101Z\",valid-before=\"20270101Z\",namespaces=\"*\" KEY", "line 1"),
                ("", "unknownKey"),
            ]
            let text = try await key.sign(Array("message".utf8))
            let signature = try directory.write(text, to: "signature")
            for (pattern, expected) in cases {
                let file = pattern.replacing("KEY", with: public2)
                #expect(verdict(file, key.publicKey, "com.example.feed") == expected, "\(pattern)")
                let signers = try directory.write((file + "\n").utf8, to: "signers")
                let verify =
                    "ssh-keygen -Y verify -f \(signers) -I com.example.feed -n \(PluginSignature.namespace) -s \(signature)"
                    + " -O verify-time=20260615120000Z < \(directory.file("message"))"
                let run = try await ProgramRun.of("/bin/sh", ["-c", verify])
                #expect((run.status == 0) == expected.hasPrefix("line"), "\(pattern): \(run.error)")
            }
        }
    }

    @Test func `an unusable line of a signers file is a problem with number and remedy, and the other lines count`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let key = try await SigningKey(in: directory)
            let rsa = try await SigningKey("rsa", bits: 2048, named: "rsa", in: directory)
            let lines = [
                "a.b cert-authority \(key.line)", "a.b \(rsa.line)", "a.b", "a.b ssh-ed25519 %%%",
                "a.b colour=\"x\" \(key.line)",
                "a.b valid-after=\"2026\" \(key.line)", "a.b valid-after=\"20260230Z\" \(key.line)",
                "a.b valid-after=\"20260202\",valid-before=\"20260201\" \(key.line)", "\"a.b \(key.line)",
                "a.b \(key.line)",
            ]
            let file = SignersFile(text: lines.joined(separator: "\n"))
            #expect(file.problems.map(\.line) == Array(1...9))
            #expect(file.entries.map(\.line) == [10] && file.entries.first?.comment == "vendor")
            #expect(file.problems[0].message.contains("cert-authority") && file.problems[1].message.contains("ssh-rsa"))
            #expect(file.problems.allSatisfy { !$0.remedy.isEmpty })
        }
    }

    @Test func `a revoked key is found, and an invalid line of the list is reported with its number`() async throws {
        try await ScratchDirectory.with { directory in
            let key = try await SigningKey(in: directory)
            let other = try await SigningKey(named: "other", in: directory)
            let list = RevokedKeys(text: "# lost\n\n  \(key.line)\r\n")
            #expect(list.contains(key.publicKey) && !list.contains(other.publicKey) && list.invalidLine == nil)
            let crlf = RevokedKeys(text: "# lost\r\n\(other.line)\r\n\(key.line)\r\n")
            #expect(crlf.contains(key.publicKey) && crlf.contains(other.publicKey) && crlf.invalidLine == nil)
            #expect(RevokedKeys(text: "\(key.line)\nnonsense").invalidLine == 2)
            #expect(RevokedKeys(text: "SSHKRL\n\0").invalidLine == 1)
        }
    }

    @Test func `random lines of a signers file give no entry and cause no trap`() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("ab \t\",=!*#-0123456789:sshZvalid-beforenamespaces/+\r".unicodeScalars)
        for _ in 0..<5000 {
            let length = Int.random(in: 0..<120, using: &random)
            var line = String.UnicodeScalarView()
            for _ in 0..<length { line.append(alphabet[Int.random(in: alphabet.indices, using: &random)]) }
            #expect(SignersFile(text: String(line)).entries.isEmpty)
            _ = RevokedKeys(text: String(line))
        }
    }
}
