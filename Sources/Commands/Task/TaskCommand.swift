// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The noun; its verbs do the work.
struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task",
        abstract: "Submit, cancel, stop and list tasks.",
        discussion: """
            Example:
              bgtask task list
            """,
        subcommands: [
            TaskSubmitCommand.self, TaskCancelCommand.self, TaskStopCommand.self, TaskListCommand.self,
        ]
    )
}
