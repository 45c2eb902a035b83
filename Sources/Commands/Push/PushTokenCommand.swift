// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask push token`: shows, rotates or revokes the device token of a plugin.
struct PushTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print the device token of a plugin, by which a remote sender addresses it.",
        discussion: """
            The plugin gets a token if it has none. The token is a secret: give it to the senders of the plugin alone. \
            It stays the same over restarts and upgrades of the plugin, and ends when it is rotated or revoked, when the \
            removed plugin is dropped or purged, and when the host is restored from a backup.

            Examples:
              bgtask push token com.example.feed
              bgtask push token com.example.feed --rotate
            """
    )

    @Argument(help: "The plugin's identifier.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifier: PluginIdentifier

    @Flag(help: "End the present token, and print a new one.")
    var rotate = false

    @Flag(help: "End the present token without a new one.")
    var revoke = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if rotate, revoke {
            throw ValidationError("--rotate and --revoke exclude each other; write --rotate for a new token")
        }
    }

    func run() async throws {
        if revoke {
            return try output.show(try await host.connected { try await $0.revokePushToken(of: identifier) })
        }
        try output.show(try await host.connected { try await $0.pushToken(of: identifier, rotating: rotate) })
    }
}
