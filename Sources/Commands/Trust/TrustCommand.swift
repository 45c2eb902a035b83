// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `trust add`, `trust list` and `trust remove`.
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Show and change the keys that may sign for plugins.",
        discussion: """
            The keys are in a file in the format allowed_signers of OpenSSH, which ssh-keygen reads as well. The host \
            applies a change at once. Comments in the file stay as they are.

            Example:
              bgtask trust list
            """,
        subcommands: [TrustAddCommand.self, TrustListCommand.self, TrustRemoveCommand.self]
    )
}
