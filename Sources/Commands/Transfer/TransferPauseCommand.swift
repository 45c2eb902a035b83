// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask transfer pause`: pauses one transfer until it is resumed.
struct TransferPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause a background transfer until it is resumed.",
        discussion: """
            A running transfer is expired, and keeps the bytes that it has. The pause outlives a restart of the host.

            Example:
              bgtask transfer pause 41
            """
    )

    @Argument(help: "The transfer's number.", completion: .transfers, transform: IdentifierArgument.transfer)
    var number: SubmissionNumber

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.pause(number) })
    }
}
