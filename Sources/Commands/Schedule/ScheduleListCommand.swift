// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask schedule list`: lists the schedules of all plugins by their next occurrence.
struct ScheduleListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the schedules by their next occurrence, with the last run and the last outcome.",
        discussion: """
            A schedule is blocked when every occurrence is refused: its plugin is missing, refused or disabled, or \
            the manifest does not permit the identifier or the kind. The reason and the remedy follow the table.

            Examples:
              bgtask schedule list
              bgtask schedule list --plugin com.example.feed
            """
    )

    @Option(
        help: ArgumentHelp("Only schedules of this plugin.", valueName: "identifier"),
        transform: IdentifierArgument.plugin
    )
    var plugin: PluginIdentifier?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        let plugin = plugin
        try output.show(try await host.connected { try await $0.schedules(plugin: plugin) })
    }
}
