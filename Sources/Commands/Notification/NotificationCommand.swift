// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// `bgtask notification`: the alerts of a host.
struct NotificationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification",
        abstract: "Report lasting failures of plugins and of the host.",
        discussion: """
            Example:
              bgtask notification follow --exec /etc/bgtask/alert
            """,
        subcommands: [NotificationFollowCommand.self]
    )
}
