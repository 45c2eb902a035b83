// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ArgumentParser
import ControlAPI

/// The root command `bgtask`, for operators and vendors. Every verb has its own file.
package struct BgtaskCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bgtask",
        abstract: "See and steer the background tasks of plugins.",
        discussion: """
            Nouns come first, then verbs. Tables are for people; --json gives
            programs the host's own answer, in a versioned shape that the host describes:
            see its route /v1/openapi.yaml.

            Example:
              bgtask task why com.example.feed.refresh

            Exit codes: 0 done, 1 refused, 2 misuse, 3 host unreachable.
            """,
        version: Release.version,
        subcommands: [
            PluginCommand.self, TaskCommand.self, TriggerCommand.self, LaunchCommand.self, JournalCommand.self,
            WatchCommand.self, SimulateCommand.self, ReplayCommand.self, HostCommand.self,
        ]
    )

    package init() {}
}
