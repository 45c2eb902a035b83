// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

/// `bgtask host status`: shows the settings in force, the conditions and the current work of a host.
struct HostStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show a host: directories, conditions with their sources, limits in force.",
        discussion: """
            Example:
              bgtask host status --system
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.host() })
    }
}
