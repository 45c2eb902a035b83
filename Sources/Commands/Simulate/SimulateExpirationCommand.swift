// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask simulate expiration`: expires a running task now, with its regular grace period.
struct SimulateExpirationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expiration",
        abstract: "Expire a running task now.",
        discussion: """
            Example:
              bgtask simulate expiration com.example.feed.clean
            """
    )

    @Argument(help: "The identifier of a running task.", transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.simulateExpiration(of: identifier) })
    }
}
