// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("The keys of the gateway are files without secrets, which a running gateway reads again", .proves("C22"))
struct KeyDirectoryTests {
    @Test func `a key from a private or a public file is stored with its public part only`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = KeyDirectory(directory.path)
            let (secret, shared) = (Samples.signer.pemRepresentation, Samples.signer.publicKey.pemRepresentation)
            let pattern = try #require(PluginPattern("com.example.*"))
            let fromPrivate = try PushKey(id: "A", team: "T", plugins: [pattern], pem: secret)
            #expect(try PushKey(id: "A", team: "T", plugins: [pattern], pem: shared) == fromPrivate)
            try keys.write(fromPrivate)
            #expect(try keys.read().keys == ["A": fromPrivate])
            let text = try String(contentsOf: URL(filePath: directory.path + "/key-A.json"), encoding: .utf8)
            #expect(text.contains("BEGIN PUBLIC KEY") && !text.contains("PRIVATE"))
        }
    }

    @Test func `a webhook is found by the secret in its path, and its file has only a digest`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = KeyDirectory(directory.path)
            let (webhook, secret) = PushWebhook.new(for: try Samples.plugin())
            try keys.write(webhook)
            let digest = try #require(PushWebhook.digest(inPath: "/push/\(secret)?up=1"))
            #expect(try keys.read().webhooks[digest] == webhook)
            #expect(PushWebhook.digest(inPath: "/push/\(secret)0") == nil)
            #expect(PushWebhook.digest(inPath: "/3/device/\(secret)") == nil)
            let file = "\(directory.path)/webhook-\(webhook.name).json"
            #expect(try !String(contentsOf: URL(filePath: file), encoding: .utf8).contains(secret))
            try keys.remove(webhook)
            #expect(try keys.read().webhooks.isEmpty)
        }
    }

    @Test func `a damaged file is a problem, and disables no other key`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = KeyDirectory(directory.path)
            try keys.write(try Samples.key())
            try directory.write("{}".utf8, to: "key-B.json")
            try directory.write("{".utf8, to: "webhook-C.json")
            try directory.write("notes".utf8, to: "README")
            let set = try keys.read()
            #expect(Array(set.keys.keys) == [Samples.keyID])
            #expect(set.problems.count == 2)
        }
    }

    @Test func `a running gateway reads a changed directory after a second`() async throws {
        try await ScratchDirectory.with { directory in
            let keys = KeyDirectory(directory.path)
            let store = try KeyStore(keys, at: Samples.start) { _ in }
            let key = try Samples.key()
            try keys.write(key)
            #expect(store.keys(at: Samples.start + .milliseconds(999)).keys.isEmpty)
            #expect(store.keys(at: Samples.start + .seconds(1)).keys == [key.id: key])
            try keys.remove(key)
            #expect(store.keys(at: Samples.start + .seconds(2)).keys.isEmpty)
        }
    }

    @Test func `a key needs an identifier, a team, plugins and the curve P-256`() throws {
        let pattern = try #require(PluginPattern("*"))
        let pem = Samples.signer.pemRepresentation
        #expect(throws: KeyFlaw.identifier("../a")) {
            try PushKey(id: "../a", team: "T", plugins: [pattern], pem: pem)
        }
        #expect(throws: KeyFlaw.team("")) { try PushKey(id: "A", team: "", plugins: [pattern], pem: pem) }
        #expect(throws: KeyFlaw.withoutPlugins) { try PushKey(id: "A", team: "T", plugins: [], pem: pem) }
        let other = P384.Signing.PrivateKey().pemRepresentation
        #expect(throws: KeyFlaw.notP256) { try PushKey(id: "A", team: "T", plugins: [pattern], pem: other) }
    }
}
