// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `host run`, `host status`, `host check`, `host reload`, `host backup` and `host restore`.
struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Run, show, check, reload, back up and restore a host.",
        discussion: """
            Example:
              bgtask host status
            """,
        subcommands: [
            HostRunCommand.self, HostStatusCommand.self, HostCheckCommand.self, HostReloadCommand.self,
            HostBackupCommand.self, HostRestoreCommand.self,
        ]
    )
}
