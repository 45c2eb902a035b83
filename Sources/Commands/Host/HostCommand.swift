// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `host run`, `host status`, `host check` and `host reload`.
struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Run, show, check and reload a host.",
        discussion: """
            Example:
              bgtask host status
            """,
        subcommands: [HostRunCommand.self, HostStatusCommand.self, HostCheckCommand.self, HostReloadCommand.self]
    )
}
