// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `transfer list`, `show`, `pause`, `resume` and `cancel`.
struct TransferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Show background transfers of plugins; pause, resume and cancel them.",
        discussion: """
            Example:
              bgtask transfer list --state running
            """,
        subcommands: [
            TransferListCommand.self, TransferShowCommand.self, TransferPauseCommand.self, TransferResumeCommand.self,
            TransferCancelCommand.self,
        ]
    )
}
