// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask transfer show`: shows one transfer.
struct TransferShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a background transfer: its progress, the last answer of the server, its end.",
        discussion: """
            The URL is shown without user, query and fragment. For the cause of a wait see bgtask why.

            Example:
              bgtask transfer show 41
            """
    )

    @Argument(help: "The transfer's number.", completion: .transfers, transform: IdentifierArgument.transfer)
    var number: SubmissionNumber

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.transfer(number) })
    }
}
