// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import PushGateway
import TaskModel

/// `bgtask push key add`: lets a sender push to plugins, by a key or by a webhook.
struct PushKeyAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Let a sender push through the gateway: by a key, or by a webhook.",
        discussion: """
            The file of a key has a private key (.p8 as Apple issues it) or a public key of the curve P-256, in PEM. The \
            gateway keeps the public part only. --plugin takes an identifier, all below one (com.example.*), or *.

            --webhook prints the secret path for one plugin once. Each program that has it may push to the plugin.

            Examples:
              bgtask push key add AuthKey_ABC123DEFG.p8 --id ABC123DEFG --team EXAMPLE123 --plugin com.example.*
              bgtask push key add --webhook --plugin com.example.feed
            """
    )

    @Argument(help: ArgumentHelp("The file of the key, in PEM.", valueName: "file"), completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("The key's identifier, which tokens name as kid.", valueName: "id"))
    var id: String?

    @Option(help: ArgumentHelp("The team of the key, which tokens name as iss.", valueName: "team"))
    var team: String?

    @Option(
        help: ArgumentHelp("Plugins that the sender may push to; may be repeated.", valueName: "pattern"),
        completion: .plugins,
        transform: Self.pattern
    )
    var plugin: [PluginPattern] = []

    @Flag(help: "Add a webhook instead of a key.")
    var webhook = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: PushKeyOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if plugin.isEmpty { throw ValidationError("--plugin is missing; name the plugins that the sender may push to") }
        if webhook {
            if file != nil || id != nil || team != nil {
                throw ValidationError("a webhook has no key; leave the file, --id and --team out")
            }
            _ = try webhookPlugin()
        } else if file == nil || id == nil || team == nil {
            throw ValidationError("a key takes a file, --id and --team; for a webhook give --webhook")
        }
    }

    func run() async throws {
        let directory = options.directory(host)
        if webhook {
            let (webhook, secret) = PushWebhook.new(for: try webhookPlugin())
            try PushKeyOptions.change(directory, isCreating: true) { _ in try directory.write(webhook) }
            try show(directory, PushWebhook.pathPrefix + secret)
            return await comparePlugins()
        }
        let key = try key()
        try PushKeyOptions.change(directory, isCreating: true) { keys in
            if keys.keys[key.id] != nil {
                throw CommandFailure(
                    .refused,
                    "\(directory.path) has a key \(key.id) already",
                    remedy: "to replace it, remove it first with: bgtask push key remove \(key.id)"
                )
            }
            try directory.write(key)
        }
        try show(directory, nil)
        await comparePlugins()
    }

    /// Writes a remark about each pattern without a plugin, because it may be mistyped. Without a host there are none.
    private func comparePlugins() async {
        let patterns = plugin
        let remarks = try? await host.connected(answerTimeout: .seconds(5)) { client in
            await PushReceivers.remarks(about: patterns, on: client)
        }
        for remark in remarks ?? [] { CommandContext.current.writeMessage(remark) }
    }

    private func show(_ directory: KeyDirectory, _ path: String?) throws {
        try OutputOptions(json: json).show(PushKeyReply(directory, try PushKeyOptions.read(directory), newPath: path))
    }

    private func key() throws -> PushKey {
        let path = FilePlace.absolute(file ?? "")
        guard let bytes = FileBytes.read(path, limit: 1 << 16) else {
            throw CommandFailure(.refused, "\(path) cannot be read", remedy: "give the path of a key in PEM")
        }
        do throws(KeyFlaw) {
            return try PushKey(
                id: id ?? "",
                team: team ?? "",
                plugins: plugin,
                pem: String(decoding: bytes, as: UTF8.self)
            )
        } catch {
            throw CommandFailure(.refused, "\(path): \(error)", remedy: "see \"bgtask push key add --help\"")
        }
    }

    private func webhookPlugin() throws -> PluginIdentifier {
        guard plugin.count == 1, let identifier = PluginIdentifier(plugin[0].description) else {
            throw ValidationError("a webhook is for one plugin; give --plugin once, with an identifier")
        }
        return identifier
    }

    private static func pattern(_ text: String) throws -> PluginPattern {
        if let pattern = PluginPattern(text) { return pattern }
        throw ValidationError("\"\(text)\" is no identifier of a plugin, and no pattern such as com.example.* or *")
    }
}
