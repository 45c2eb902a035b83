// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import PushGateway
import TaskModel

/// `bgtask push key remove`: ends the right of a sender to push.
struct PushKeyRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a key or a webhook of the push gateway.",
        discussion: """
            Names the key or the webhook as bgtask push key list prints it.

            Example:
              bgtask push key remove ABC123DEFG
            """
    )

    @Argument(help: ArgumentHelp("The identifier of a key, or the name of a webhook.", valueName: "name"))
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: PushKeyOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        let directory = options.directory(host)
        try PushKeyOptions.change(directory) { keys in
            let webhooks = keys.webhooks.values.filter { $0.name == name }
            guard keys.keys[name] != nil || !webhooks.isEmpty else {
                let known = Array(keys.keys.keys) + keys.webhooks.values.map(\.name)
                throw CommandFailure(
                    .refused,
                    "\(directory.path) has no key or webhook \(name.inQuotes)",
                    remedy: NearestWord.to(name, among: known).map { "write \($0.inQuotes)" }
                        ?? "list them with: bgtask push key list"
                )
            }
            if let key = keys.keys[name] { try directory.remove(key) }
            for webhook in webhooks { try directory.remove(webhook) }
        }
        try OutputOptions(json: json).show(PushKeyReply(directory, try PushKeyOptions.read(directory)))
    }
}
