// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask transfer resume`: ends the pause of one transfer.
struct TransferResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "End the pause of a background transfer.",
        discussion: """
            The transfer continues with the bytes that it has, if the server permits.

            Example:
              bgtask transfer resume 41
            """
    )

    @Argument(help: "The transfer's number.", completion: .transfers, transform: IdentifierArgument.transfer)
    var number: SubmissionNumber

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.resume(number) })
    }
}
