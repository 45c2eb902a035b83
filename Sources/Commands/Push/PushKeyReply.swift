// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PushGateway
import TaskModel
import TerminalText

/// The output of the `push key` commands: the keys and webhooks of a directory, after a change if any. `format` is the
/// version of the structure of its JSON.
struct PushKeyReply: Hashable, Encodable {
    struct Key: Hashable, Encodable {
        let id: String
        let team: String
        let plugins: [String]
    }

    struct Webhook: Hashable, Encodable {
        let name: String
        let plugin: String
    }

    let format = 1
    let directory: String
    let keys: [Key]
    let webhooks: [Webhook]
    /// The files that the gateway ignores.
    let problems: [String]
    /// The secret path of a new webhook; nil without one.
    let newPath: String?

    init(_ directory: KeyDirectory, _ set: KeySet, newPath: String? = nil) {
        self.directory = directory.path
        keys = set.keys.values.sorted { $0.id < $1.id }.map { key in
            Key(id: key.id, team: key.team, plugins: key.plugins.map(\.description))
        }
        webhooks = set.webhooks.values.sorted { ($0.plugin, $0.name) < ($1.plugin, $1.name) }.map { webhook in
            Webhook(name: webhook.name, plugin: webhook.plugin.text)
        }
        problems = set.problems
        self.newPath = newPath
    }

    var isEmpty: Bool { keys.isEmpty && webhooks.isEmpty && problems.isEmpty }

    private enum CodingKeys: String, CodingKey {
        case format, directory, keys, webhooks, problems
        case newPath = "new_path"
    }
}

extension PushKeyReply: Presentable {
    func text(for reader: Reader) -> String {
        // The path of a new webhook is shown once, and alone: a script reads it.
        if let newPath { return newPath + "\n" }
        var table = Table("NAME", "KIND", "TEAM", "PLUGINS")
        for key in keys { table.add(key.id, "key", key.team, key.plugins.joined(separator: " ")) }
        for webhook in webhooks { table.add(webhook.name, "webhook", "", webhook.plugin) }
        let ignored = problems.map { "ignored: \($0)\n".terminalSafeLines }
        return (table.rows.isEmpty ? "" : table.text) + ignored.joined()
    }
}
