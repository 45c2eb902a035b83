// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task cursor`: shows where a task continues, or deletes its cursor.
struct TaskCursorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cursor",
        abstract: "Show where a task continues, or let it begin from the start.",
        discussion: """
            An interrupted task continues at its cursor, which its plugin moves after each piece of work. A task that \
            succeeded has none.

            Examples:
              bgtask task cursor com.example.photoexport.export.holidays
              bgtask task cursor com.example.photoexport.export.holidays --clear
            """
    )

    @Argument(help: "Identifier of a task.", completion: .tasks, transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @Flag(help: "Delete the cursor: the next run begins from the start.")
    var clear = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        if clear {
            try output.show(try await host.connected { try await $0.clearCursor(of: identifier) })
        } else {
            try output.show(try await host.connected { try await $0.cursor(of: identifier) })
        }
    }
}
