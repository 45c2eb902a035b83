// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ArgumentParser
import ControlAPI
import TaskModel

/// The root command `bgtask`, for operators and vendors. Every verb has its own file.
package struct BgtaskCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bgtask",
        abstract: "Show and control the background tasks of plugins.",
        discussion: """
            Common commands are a verb; all others are a noun and a verb. With --json, a command that calls a host \
            prints its answer in a versioned format, which the host's route /v1/openapi.yaml describes.

            Example:
              bgtask why com.example.feed.refresh

            Exit codes: 0 done, 1 refused, 2 misuse, 3 host unreachable.
            """,
        version: Release.version,
        subcommands: [
            RunCommand.self, WhyCommand.self, TriggerCommand.self, LogsCommand.self, JournalCommand.self,
            WatchCommand.self, StatsCommand.self,
            PluginCommand.self, TaskCommand.self, LaunchCommand.self, ScheduleCommand.self, SimulateCommand.self,
            ReplayCommand.self, TrustCommand.self, HostCommand.self, MetricsCommand.self,
        ]
    )

    package init() {}
}
