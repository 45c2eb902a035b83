// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Crypto
import Foundation
import HostTestKit
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
            let add = ["key", "add", file, "--id", "A1", "--team", "T1", "--plugin", "com.example.*"]
            let added = try await run(add, keys)
            #expect(
                added == """
                    NAME  KIND  TEAM  PLUGINS
                    A1    key   T1    com.example.*

                    """
            )
            let again = await #expect(throws: CommandFailure.self) { try await run(add, keys) }
            #expect(again?.remedy?.contains("bgtask push key remove A1") == true)
            #expect(try await run(["key", "list"], keys) == added)
            #expect(try await run(["key", "remove", "A1"], keys) == "")
            let missing = await #expect(throws: CommandFailure.self) { try await run(["key", "remove", "A1"], keys) }
            #expect(missing?.message.contains("no key or webhook") == true)
        }
    }

    @Test func `a new webhook prints its secret path once, and the list names it without the secret`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = directory.path + "/keys"
            let path = try await run(["key", "add", "--webhook", "--plugin", "com.example.feed"], keys)
            #expect(path.hasPrefix("/push/") && path.count == "/push/".count + 64 + 1)
            let list = try await run(["key", "list"], keys)
            #expect(list.contains("webhook") && list.contains("com.example.feed"))
            #expect(!list.contains(path.dropFirst("/push/".count).prefix(8)))
        }
    }

    /// The output of a command on a directory of keys.
    private func run(_ words: [String], _ keys: String) async throws -> String {
        let output = Output()
        var context = CommandContext.current
        context.standardOutput = { output.append($0) }
        context.standardError = { _ in }
        var command = try BgtaskCommand.parseAsRoot(["push"] + words + ["--keys", keys])
        try await CommandContext.$current.withValue(context) {
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        }
        return output.text
    }
}

/// The text that a command writes.
private final class Output: @unchecked Sendable {
    private let lock = NSLock()
    private var parts = ""
    var text: String { lock.withLock { parts } }
    func append(_ part: String) { lock.withLock { parts += part } }
}
