// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

/// `bgtask host reload`: lets a running host read its configuration file again.
struct HostReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Let the host read its configuration again, without a restart.",
        discussion: """
            The output names the changed keys that apply at once, and those that apply from the next start. A file with
            a problem changes nothing.

            Example:
              bgtask host reload
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        try output.show(try await host.connected { try await $0.reload() })
    }
}
