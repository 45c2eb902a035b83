// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask plugin show`: shows one plugin with its manifest, the limits and budgets that apply to it, and its last
/// launch.
struct PluginShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a plugin: manifest, limits, budgets, last launch.",
        discussion: """
            Example:
              bgtask plugin show com.example.feed
            """
    )

    @Argument(help: "The plugin's identifier.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifier: PluginIdentifier

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.plugin(identifier) })
    }
}
