// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlClient
import Crypto
import Foundation
import HostTestKit
import TaskModel
import Testing

@testable import Commands

@Suite("The commands of the push gateway check their options, and manage keys without secrets")
struct PushGatewayCommandTests {
    @Test(arguments: [
        ["serve"], ["serve", "--tls-certificate", "a"], ["serve", "--cleartext", "--tls-key", "a"],
        ["serve", "--cleartext", "--listen", "0.0.0.0:80"], ["serve", "--cleartext", "--rate", "0"],
        ["serve", "--cleartext", "--listen", "nowhere"], ["key", "add"], ["key", "add", "a.p8", "--id", "A"],
        ["key", "add", "a.p8", "--id", "A", "--team", "T"], ["key", "add", "--webhook"],
        ["key", "add", "--webhook", "--plugin", "a.*"], ["key", "add", "--webhook", "--plugin", "a.b", "--id", "A"],
        ["key", "add", "a.p8", "--id", "A", "--team", "T", "--plugin", "not a pattern"], ["key", "remove"],
    ])
    func `invalid options of the gateway are refused before anything is done`(arguments: [String]) {
        #expect(throws: (any Error).self) { try BgtaskCommand.parseAsRoot(["push"] + arguments) }
    }

    @Test func `the gateway listens on the loopback interface by default`() throws {
        let words = ["push", "serve", "--cleartext"]
        let command = try #require(try BgtaskCommand.parseAsRoot(words) as? PushServeCommand)
        #expect(command.listen.host == "127.0.0.1" && command.listen.port == 2197)
    }

    @Test func `a key is added, listed and removed, and an identifier is used once`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = directory.path + "/keys"
            let file = try directory.write(P256.Signing.PrivateKey().pemRepresentation.utf8, to: "a.p8")
            let add = ["add", file, "--id", "A1", "--team", "T1", "--plugin", "com.example.*"]
            let added = await run(add, on: keys)
            #expect(added.status == .done && added.terminal.output.contains("A1"))
            #expect(added.terminal.output.contains("com.example.*"))
            // The gateway can have another user than the operator.
            let mode = try FileManager.default.attributesOfItem(atPath: keys)[.posixPermissions] as? Int
            #expect(mode == 0o755)
            let again = await run(add, on: keys)
            #expect(again.status == .refused && again.terminal.error.contains("bgtask push key remove A1"))
            #expect(await run(["list"], on: keys).terminal.output == added.terminal.output)
            #expect(await run(["remove", "A1"], on: keys).status == .done)
            let missing = await run(["remove", "A1"], on: keys)
            #expect(missing.status == .refused && missing.terminal.error.contains("no key or webhook"))
        }
    }

    @Test func `a file without a key of the curve P-256 is refused, and nothing is stored`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = directory.path + "/keys"
            let file = try directory.write("no key".utf8, to: "a.p8")
            let added = await run(["add", file, "--id", "A1", "--team", "T1", "--plugin", "*"], on: keys)
            #expect(added.status == .refused && added.terminal.error.contains("P-256"))
            #expect(!FileManager.default.fileExists(atPath: keys))
        }
    }

    @Test func `a new webhook prints its secret path once, and the list names it without the secret`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = directory.path + "/keys"
            let path = await run(["add", "--webhook", "--plugin", "com.example.feed"], on: keys).terminal.output
            #expect(path.hasPrefix("/push/") && path.count == "/push/".count + 64 + 1)
            let list = await run(["list"], on: keys).terminal.output
            #expect(list.contains("webhook") && list.contains("com.example.feed"))
            #expect(!list.contains(path.dropFirst("/push/".count).prefix(8)))
        }
    }

    @Test func `a remark names each pattern without a plugin, and the nearest plugin or pattern`() throws {
        let known = ["com.example.feed", "com.example.photos.export"]
        let patterns = try ["com.example.fed", "com.exmaple.*", "com.example.photos.*", "com.example.feed", "*", "a.b"]
            .map { try #require(PluginPattern($0)) }
        let rule = "and its pushes are refused until its installation"
        #expect(
            PushReceivers.remarks(about: patterns + patterns, known: known) == [
                "no plugin a.b is installed, \(rule)",
                "no plugin com.example.fed is installed, \(rule); write \"com.example.feed\" if that plugin is meant",
                """
                no plugin that matches com.exmaple.* is installed, \(rule); write "com.example.*" if that pattern is \
                meant
                """,
            ]
        )
    }

    private func run(_ words: [String], on keys: String) async -> (status: Commands.ExitStatus, terminal: Terminal) {
        let terminal = Terminal()
        return (await terminal.run(list: ["push", "key"] + words + ["--keys", keys]), terminal)
    }
}
