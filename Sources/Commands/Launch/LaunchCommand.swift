// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `launch list`, `launch show` and `launch stop`.
struct LaunchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Show running and ended launches of plugins, and stop running ones.",
        discussion: """
            Example:
              bgtask launch list --limit 10
            """,
        subcommands: [LaunchListCommand.self, LaunchShowCommand.self, LaunchStopCommand.self]
    )
}
