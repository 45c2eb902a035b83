// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// Explains the state of one task: its reasons for waiting, and the change that would let it run.
struct TaskWhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why a task has not run, when it could, and what would change that.",
        discussion: """
            The name of an extension stands for the first event that waits for it.

            Examples:
              bgtask task why com.example.feed.clean
              bgtask task why com.example.feed.keyboard
            """
    )

    @Argument(help: "The task's identifier.", transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.why(identifier) })
    }
}
