// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `push key add`, `push key list` and `push key remove`.
struct PushKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Show and change the keys and webhooks of the push gateway.",
        discussion: """
            A key belongs to a sender that speaks Apple's protocol, a webhook is a secret address for one plugin. A \
            running gateway applies a change within a second. The directory has no secrets: of a key the public part, of \
            a webhook a digest.

            Example:
              bgtask push key list
            """,
        subcommands: [PushKeyAddCommand.self, PushKeyListCommand.self, PushKeyRemoveCommand.self]
    )
}
