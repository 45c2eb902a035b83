// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@testable import Commands

@Suite("The trust commands change one entry of a signers file and nothing else")
struct TrustTests {
    private static let remark = "# keys of vendors\n\nold.example.* cert-authority ssh-ed25519 AAAA\n"

    /// Runs `body` with a directory that contains the public keys `a.pub` and `b.pub`, and with the path of a signers
    /// file.
    private func with(_ body: (ScratchDirectory, String) async throws -> Void) async throws {
        try await ScratchDirectory.with { directory in
            for name in ["a", "b"] {
                let make = ["-q", "-t", "ed25519", "-N", "", "-C", "vendor \(name)", "-f", directory.file(name)]
                #expect(try await ProgramRun.of("/usr/bin/ssh-keygen", make).status == 0)
            }
            try await body(directory, try directory.write(Self.remark.utf8, to: "signers"))
        }
    }

    private func run(_ arguments: String..., on file: String) async -> (status: Commands.ExitStatus, terminal: Terminal)
    {
        let terminal = Terminal()
        return (await terminal.run(list: ["trust"] + arguments + ["--signers", file]), terminal)
    }

    @Test func `trust add appends an entry that ssh-keygen accepts, and keeps comments and other lines`() async throws {
        try await with { directory, file in
            let added = await run("add", "com.example.*", directory.file("a.pub"), on: file)
            #expect(added.status == .done && added.terminal.error.contains("trusts the key SHA256:"))
            let text = try #require(directory.text(of: "signers"))
            #expect(text.hasPrefix(Self.remark) && text.hasSuffix(" vendor a\n"))
            #expect(text.contains("com.example.* namespaces=\"bgtask-plugin-v1\" ssh-ed25519 "))

            let message = try directory.write("manifest".utf8, to: "message")
            let sign = ["-Y", "sign", "-q", "-n", "bgtask-plugin-v1", "-f", directory.file("a"), message]
            #expect(try await ProgramRun.of("/usr/bin/ssh-keygen", sign).status == 0)
            for (namespace, status) in [("bgtask-plugin-v1", 0), ("git", 255)] as [(String, Int32)] {
                let verify =
                    "ssh-keygen -Y verify -f \(file) -I com.example.feed -n \(namespace) -s \(message).sig < \(message)"
                #expect(try await ProgramRun.of("/bin/sh", ["-c", verify]).status == status)
            }
        }
    }

    @Test func `trust list prints the entries and the ignored lines, as text and as JSON`() async throws {
        try await with { directory, file in
            _ = await run("add", "com.example.*", directory.file("a.pub"), "--valid-before", "20300101Z", on: file)
            let text = await run("list", on: file).terminal.output
            #expect(text.contains("com.example.*") && text.contains("before 20300101Z") && text.contains("vendor a"))
            #expect(text.contains("\(file):3: ignored: ") && text.contains("cert-authority"))
            let json = await run("list", "--json", on: file).terminal.output
            let reply = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            #expect(Set(reply.keys) == ["format", "file", "entries", "problems"])
            let entry = try #require((reply["entries"] as? [[String: Any]])?.first)
            let keys = ["line", "principals", "key_type", "fingerprint", "valid_before", "namespaces", "comment"]
            #expect(Set(entry.keys) == Set(keys) && entry["line"] as? Int == 4)
        }
    }

    @Test func `trust remove deletes the named entries, and suggests the nearest name for an unknown one`() async throws
    {
        try await with { directory, file in
            _ = await run("add", "com.example.*", directory.file("a.pub"), on: file)
            _ = await run("add", "org.other.*", directory.file("b.pub"), on: file)
            let unknown = await run("remove", "com.exmaple.*", on: file)
            #expect(unknown.status == .refused && unknown.terminal.error.contains("write \"com.example.*\""))
            #expect(await run("remove", "com.example.*", on: file).status == .done)
            let text = try #require(directory.text(of: "signers"))
            #expect(text.hasPrefix(Self.remark) && text.contains("org.other.*") && !text.contains("com.example"))
            #expect(await run("remove", "vendor b", on: file).status == .done)
            #expect(directory.text(of: "signers") == Self.remark)
        }
    }

    @Test func `trust add refuses a private key, an RSA key, a known entry and invalid values, and writes nothing`()
        async throws
    {
        try await with { directory, file in
            let make = ["-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", directory.file("rsa")]
            let made = try await ProgramRun.of("/usr/bin/ssh-keygen", make)
            #expect(made.status == 0)
            let cases = [
                (["a.b", directory.file("a")], "not one line"), (["a.b", directory.file("rsa.pub")], "ssh-rsa"),
                (["a.b", directory.file("absent")], "cannot be read"),
                (["a.b", "ssh-ed25519 AAAA"], "get the public key"),
                (["a b", directory.file("a.pub")], "not a list of patterns"),
                (["a.b", directory.file("a.pub"), "--valid-after", "soon"], "\"soon\" is no time"),
            ]
            for (arguments, message) in cases {
                let terminal = Terminal()
                #expect(await terminal.run(list: ["trust", "add"] + arguments + ["--signers", file]) == .refused)
                #expect(terminal.error.contains(message), "\(terminal.error)")
            }
            #expect(directory.text(of: "signers") == Self.remark)
            #expect(await run("add", "a.b", directory.file("a.pub"), on: file).status == .done)
            let again = await run("add", "a.b", directory.file("a.pub"), on: file)
            #expect(again.status == .refused && again.terminal.error.contains("already, on line 4"))
        }
    }

    @Test func `trust add keeps the mode of the signers file and a symbolic link to it`() async throws {
        try await with { directory, file in
            #expect(chmod(file, 0o640) == 0)
            let link = directory.file("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            #expect(await run("add", "a.b", directory.file("a.pub"), on: link).status == .done)
            var status = stat()
            #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
            #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o640)
        }
    }
}
