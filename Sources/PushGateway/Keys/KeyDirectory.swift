// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FoundationEssentials
import Glibc
package import LinuxSystem
import TaskModel

/// The directory of the keys and webhooks: one JSON file for each, named `key-ID.json` or `webhook-NAME.json`.
package struct KeyDirectory: Hashable, Sendable {
    private struct KeyFile: Codable {
        let id: String
        let team: String
        let plugins: [String]
        let publicKey: String

        private enum CodingKeys: String, CodingKey {
            case id, team, plugins
            case publicKey = "public_key"
        }
    }

    private struct WebhookFile: Codable {
        let plugin: String
        let digest: String

        private enum CodingKeys: String, CodingKey {
            case plugin
            case digest = "secret_sha256"
        }
    }

    /// Maximum size of a file in bytes.
    private static let maximumSize = 65536

    package let path: String

    package init(_ path: String) { self.path = path }

    /// Reads all files. A file that cannot be read is a problem of the set, and disables no other.
    package func read() throws(SystemError) -> KeySet {
        var set = KeySet()
        for name in try FilePlace.entries(of: path) where name.hasSuffix(".json") && !name.hasPrefix(".") {
            do {
                if name.hasPrefix("key-") {
                    set.add(try key(in: name))
                } else if name.hasPrefix("webhook-") {
                    set.add(try webhook(in: name))
                }
            } catch let flaw as Misnamed {
                set.addProblem("\(path)/\(name): only \(flaw.name) counts for its content; rename or delete the file")
            } catch let flaw as KeyFlaw {
                set.addProblem("\(path)/\(name): \(flaw)")
            } catch {
                set.addProblem("\(path)/\(name): not a file of \"bgtask push key add\"; add the key again")
            }
        }
        return set
    }

    package func write(_ key: PushKey) throws(SystemError) {
        let file = KeyFile(
            id: key.id,
            team: key.team,
            plugins: key.plugins.map(\.description),
            publicKey: key.publicKey
        )
        try write(file, to: Self.name(of: key))
    }

    package func write(_ webhook: PushWebhook) throws(SystemError) {
        try write(WebhookFile(plugin: webhook.plugin.text, digest: webhook.digest), to: Self.name(of: webhook))
    }

    package func remove(_ key: PushKey) throws(SystemError) { try remove(Self.name(of: key)) }
    package func remove(_ webhook: PushWebhook) throws(SystemError) { try remove(Self.name(of: webhook)) }

    private struct Malformed: Error {}

    /// A file whose name is not that of its content. It does not count, because it cannot be removed by its identifier.
    private struct Misnamed: Error {
        let name: String
    }

    private func key(in name: String) throws -> PushKey {
        let file = try JSONDecoder().decode(KeyFile.self, from: try content(of: name))
        let patterns = file.plugins.compactMap(PluginPattern.init)
        guard patterns.count == file.plugins.count else { throw Malformed() }
        let key = try PushKey(id: file.id, team: file.team, plugins: patterns, pem: file.publicKey)
        if name != Self.name(of: key) { throw Misnamed(name: Self.name(of: key)) }
        return key
    }

    private func webhook(in name: String) throws -> PushWebhook {
        let file = try JSONDecoder().decode(WebhookFile.self, from: try content(of: name))
        guard let plugin = PluginIdentifier(file.plugin),
            let webhook = PushWebhook(plugin: plugin, digest: file.digest)
        else { throw Malformed() }
        if name != Self.name(of: webhook) { throw Misnamed(name: Self.name(of: webhook)) }
        return webhook
    }

    private static func name(of key: PushKey) -> String { "key-\(key.id).json" }
    private static func name(of webhook: PushWebhook) -> String { "webhook-\(webhook.name).json" }

    private func content(of name: String) throws -> Data {
        Data(try FileBytes.contents(of: "\(path)/\(name)", limit: Self.maximumSize))
    }

    private func remove(_ name: String) throws(SystemError) {
        if unlink("\(path)/\(name)") != 0 { throw SystemError(number: errno, attempt: "remove \(path)/\(name)") }
    }

    private func write(_ file: some Encodable, to name: String) throws(SystemError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Texts and lists of texts have a JSON form.
        let json = (try? encoder.encode(file)).map(Array.init) ?? []
        try AtomicFile.replace("\(path)/\(name)", with: json + Array("\n".utf8))
    }
}
