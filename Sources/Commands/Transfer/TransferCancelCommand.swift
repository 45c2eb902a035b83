// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask transfer cancel`: ends one transfer for good.
struct TransferCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a background transfer.",
        discussion: """
            The received bytes are deleted. The plugin receives the transfer as cancelled at the end of its session.

            Example:
              bgtask transfer cancel 41
            """
    )

    @Argument(help: "The transfer's number.", completion: .transfers, transform: IdentifierArgument.transfer)
    var number: SubmissionNumber

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.cancel(number) })
    }
}
