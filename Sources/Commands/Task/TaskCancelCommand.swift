// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task cancel`: cancels the pending request of an identifier. A running task continues.
struct TaskCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a pending request; a running task continues.",
        discussion: """
            Example:
              bgtask task cancel com.example.feed.refresh
            """
    )

    @Argument(help: "The task's identifier.", transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.cancel(identifier) })
    }
}
