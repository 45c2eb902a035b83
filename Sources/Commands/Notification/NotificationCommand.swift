// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// `bgtask notification`: the notifications and the alerts of a host.
struct NotificationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification",
        abstract: "Show notifications, and report lasting failures of plugins and of the host.",
        discussion: """
            Examples:
              bgtask notification list
              bgtask notification follow --exec /etc/bgtask/alert
            """,
        subcommands: [NotificationListCommand.self, NotificationFollowCommand.self]
    )
}
