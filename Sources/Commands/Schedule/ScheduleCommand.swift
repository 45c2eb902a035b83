// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `schedule list` and `schedule check`.
struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "List the schedules of a host, and check a time of day before you configure it.",
        discussion: """
            Example:
              bgtask schedule list
            """,
        subcommands: [ScheduleListCommand.self, ScheduleCheckCommand.self]
    )
}
