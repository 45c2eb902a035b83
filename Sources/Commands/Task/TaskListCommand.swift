// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI

/// Lists all work that is accepted and not over.
struct TaskListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is running and what is pending, with the first reason for waiting.",
        discussion: """
            Example:
              bgtask task list
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.tasks() })
    }
}
