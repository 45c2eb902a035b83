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

            --json, --socket, --system and --user may also precede the command. The environment variable \
            BGTASK_SOCKET has the meaning of --socket for commands without an option that chooses a host.

            --generate-completion-script bash, zsh or fish prints the completion script of a shell.

            -H runs the command with the bgtask of other machines, over ssh without questions for passwords; files \
            and sockets are those of the other machine. Of several machines, each line begins with the name of its \
            machine, and the exit code is the highest one. BGTASK_SSH names a program to run in place of ssh.

            Examples:
              bgtask why com.example.feed.refresh
              bgtask -H web-1,web-2 launch list --limit 10

            Exit codes: 0 done, 1 refused, 2 misuse, 3 host unreachable.
            """,
        version: Release.version,
        subcommands: [
            RunCommand.self, WhyCommand.self, TriggerCommand.self, LogsCommand.self, JournalCommand.self,
            WatchCommand.self, PageCommand.self, StatsCommand.self,
            PluginCommand.self, TaskCommand.self, LaunchCommand.self, ScheduleCommand.self, PushCommand.self,
            TransferCommand.self, SimulateCommand.self,
            NotificationCommand.self, ReplayCommand.self, TrustCommand.self, FleetCommand.self, HostCommand.self,
            MetricsCommand.self,
        ]
    )

    // `Invocation` takes an option before the command from the arguments. The parser therefore has a value only for an
    // option after the command.
    @Option(name: .customShort("H"), help: ArgumentHelp("Use the bgtask of these machines.", valueName: "host,..."))
    var hosts: [String] = []

    package init() {}

    package func validate() throws {
        guard let hosts = hosts.first else { return }
        throw ValidationError("-H \(hosts) follows the command; write it before: bgtask -H \(hosts) COMMAND")
    }
}
