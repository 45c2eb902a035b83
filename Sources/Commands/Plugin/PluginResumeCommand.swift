// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask plugin resume`: ends the pauses of plugins.
struct PluginResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "End the pause of plugins: their pending work may start again.",
        usage: "bgtask plugin resume <identifiers> ... [<options>]",
        discussion: """
            Example:
              bgtask plugin resume com.example.feed
            """
    )

    @Argument(help: "The plugins' identifiers.", transform: IdentifierArgument.plugin)
    var identifiers: [PluginIdentifier] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if identifiers.isEmpty { throw ValidationError("no plugin is named; give the identifier of a plugin") }
    }

    func run() async throws {
        try await host.connected { client in
            for plugin in identifiers { try output.show(try await client.resume(plugin)) }
        }
    }
}
