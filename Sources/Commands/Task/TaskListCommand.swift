// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task list`: lists running tasks, pending requests and waiting events.
struct TaskListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List running tasks and pending requests, with the first reason for waiting.",
        discussion: """
            Examples:
              bgtask task list
              bgtask task list --plugin com.example.feed --kind refresh --kind event
            """
    )

    @Option(
        help: ArgumentHelp("Only work of this plugin.", valueName: "identifier"),
        transform: IdentifierArgument.plugin
    )
    var plugin: PluginIdentifier?

    @Option(
        help: ArgumentHelp(
            "Only work of this kind: \(TaskKind.allCases.map(\.name).joined(separator: ", ")). May be repeated.",
            valueName: "kind"
        ),
        transform: { try WordArgument.value($0, among: TaskKind.allCases, \.name) }
    )
    var kind: [TaskKind] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        let (plugin, kinds) = (plugin, Set(kind))
        try output.show(try await host.connected { try await $0.tasks(plugin: plugin, kinds: kinds) })
    }
}
