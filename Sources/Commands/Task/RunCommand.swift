// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask run`: launches pending tasks now, regardless of time and conditions. It submits no request.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run pending tasks now, regardless of time and conditions.",
        usage: "bgtask run <identifiers> ... [<options>]",
        discussion: """
            Example:
              bgtask run com.example.feed.refresh com.example.feed.clean
            """
    )

    @Argument(help: "Identifiers of pending tasks.", transform: IdentifierArgument.task)
    var identifiers: [TaskIdentifier] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if identifiers.isEmpty { throw ValidationError("no task is named; give the identifier of a pending task") }
    }

    func run() async throws {
        try output.show(try await host.connected { try await $0.run(identifiers) })
    }
}
