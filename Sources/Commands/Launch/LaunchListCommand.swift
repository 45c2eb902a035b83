// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask launch list`: lists the launches of one plugin or of all plugins, newest first.
struct LaunchListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List launches, the newest first.",
        discussion: """
            Example:
              bgtask launch list --plugin com.example.feed --limit 10
            """
    )

    @Option(
        help: ArgumentHelp("Only launches of this plugin.", valueName: "identifier"),
        transform: IdentifierArgument.plugin
    )
    var plugin: PluginIdentifier?

    @Option(help: ArgumentHelp("Maximum number of launches.", valueName: "number"))
    var limit = 50

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws { try LimitArgument.check(limit) }

    func run() async throws {
        let (limit, plugin) = (limit, plugin)
        try output.show(try await host.connected { try await $0.launches(limit: limit, plugin: plugin) })
    }
}
