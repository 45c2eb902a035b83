// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `task submit`, `task list` and the other commands for tasks.
struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task",
        abstract: "Submit, retry, cancel, stop and list tasks, and show where they continue.",
        discussion: """
            Example:
              bgtask task list
            """,
        subcommands: [
            TaskSubmitCommand.self, TaskRetryCommand.self, TaskCancelCommand.self, TaskStopCommand.self,
            TaskCursorCommand.self, TaskListCommand.self,
        ]
    )
}
