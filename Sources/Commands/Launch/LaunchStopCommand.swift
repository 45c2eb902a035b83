// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask launch stop`: expires all tasks of a running launch on the user's request.
struct LaunchStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop all tasks of a running launch; its plugin receives the reason and has the grace period to end.",
        discussion: """
            The stopped tasks are not requeued. Use "bgtask task stop" for a single task.

            Example:
              bgtask launch stop 41
            """
    )

    @Argument(help: "The launch's number.", completion: .launches, transform: IdentifierArgument.launch)
    var number: LaunchNumber

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.stop(number) })
    }
}
