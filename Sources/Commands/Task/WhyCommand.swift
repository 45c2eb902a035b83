// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask why`: explains the state of a task, or of the events of a plugin.
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why a task or an event waits, when it can run, and one change that helps.",
        discussion: """
            The identifier of a plugin stands for its first waiting event.

            Examples:
              bgtask why com.example.feed.clean
              bgtask why com.example.feed.keyboard
            """
    )

    @Argument(
        help: "Identifier of a task, or of a plugin with waiting events.",
        completion: .tasksAndPlugins,
        transform: IdentifierArgument.task
    )
    var identifier: TaskIdentifier

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.why(identifier) })
    }
}
