// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The noun; its verbs do the work.
struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Run, show and check a host.",
        discussion: """
            Example:
              bgtask host status
            """,
        subcommands: [HostRunCommand.self, HostStatusCommand.self, HostCheckCommand.self]
    )
}
