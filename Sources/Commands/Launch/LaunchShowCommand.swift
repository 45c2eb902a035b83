// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask launch show`: shows one launch with the tasks of its batch.
struct LaunchShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a launch: its tasks with their outcomes, its budget, its end.",
        discussion: """
            Example:
              bgtask launch show 41
            """
    )

    @Argument(help: "The launch's number.", transform: IdentifierArgument.launch)
    var number: LaunchNumber

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.launch(number) })
    }
}
