// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import Foundation
import HostTestKit
import LinuxSystem
import StatementTraits
import Synchronization
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

    @Test func `a change in the same instant as the last one is read`() async throws {
        try await ScratchDirectory.with { directory in
            let (keys, key) = (KeyDirectory(directory.path), try Samples.key())
            try keys.write(key)
            let identity = try #require(FileIdentity(ofPath: directory.path))
            let instant = WallTime(nanoseconds: identity.changed)
            let store = try KeyStore(keys, at: Samples.start, wall: { instant }) { _ in }
            // A change of the file alone leaves the time of the directory, as two changes in one instant do.
            try directory.write("{}".utf8, to: "key-\(key.id).json")
            #expect(store.keys(at: Samples.start + .seconds(1)).keys.isEmpty)
        }
    }

    @Test func `a removed directory has no keys, and one that cannot be read is reported once in ten seconds`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = directory.path + "/keys"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let (keys, key) = (KeyDirectory(path), try Samples.key())
            try keys.write(key)
            let reports = Mutex<[String]>([])
            let store = try KeyStore(keys, at: Samples.start) { text in reports.withLock { $0.append(text) } }
            try FileManager.default.removeItem(atPath: path)
            #expect(store.keys(at: Samples.start + .seconds(1)).keys.isEmpty)
            try directory.write("a file".utf8, to: "keys")
            for second in 2...11 { _ = store.keys(at: Samples.start + .seconds(second)) }
            #expect(reports.withLock(\.count) == 1)
        }
    }

    @Test func `a file with another name than that of its key does not count`() async throws {
        try await ScratchDirectory.with { directory in
            let (keys, key) = (KeyDirectory(directory.path), try Samples.key())
            try keys.write(key)
            let path = directory.path + "/key-\(key.id)"
            try FileManager.default.copyItem(atPath: path + ".json", toPath: path + ".old.json")
            #expect(try keys.read().problems.count == 1)
            try keys.remove(key)
            #expect(try keys.read().keys.isEmpty)
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
