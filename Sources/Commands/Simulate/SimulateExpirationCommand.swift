// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask simulate expiration`: expires a running task as at the end of its budget, with its regular grace period.
struct SimulateExpirationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expiration",
        abstract: "Expire a running task as at the end of its budget.",
        discussion: """
            The task receives the reason of a used-up budget and has the regular grace period. To stop a task, use \
            "bgtask task stop".

            Example:
              bgtask simulate expiration com.example.feed.clean
            """
    )

    @Argument(help: "The identifier of a running task.", completion: .tasks, transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.simulateExpiration(of: identifier) })
    }
}
