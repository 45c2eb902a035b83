// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// Launches pending tasks now, before their time and without their conditions. Only submitted tasks can be launched.
struct SimulateLaunchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Launch pending tasks now, whatever time and conditions say.",
        discussion: """
            Example:
              bgtask simulate launch com.example.feed.refresh com.example.feed.clean
            """
    )

    @Argument(help: "Identifiers of pending tasks.", transform: IdentifierArgument.task)
    var identifiers: [TaskIdentifier]

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if identifiers.isEmpty { throw ValidationError("no task is named; give the identifier of a pending one") }
    }

    func run() async throws {
        try output.show(try await host.connected { try await $0.simulateLaunch(of: identifiers) })
    }
}
