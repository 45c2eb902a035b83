// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task stop`: expires a running task on the user's request, or cancels a pending continued request.
struct TaskStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop a running task; its plugin receives the reason and has the grace period to end in order.",
        discussion: """
            A continued request that has not begun is cancelled; use "bgtask task cancel" for other pending requests.

            Example:
              bgtask task stop com.example.photoexport.export.holidays
            """
    )

    @Argument(help: "The task's identifier.", transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.stop(identifier) })
    }
}
