// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import HostService

/// The host: finds plugins, schedules their tasks, launches and supervises them, and remembers.
@main
struct Bgtaskd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bgtaskd",
        abstract: "Runs background tasks of plugins.",
        discussion: """
            Every key of the configuration file that concerns the host is a flag as well; a flag wins.

            Example: bgtaskd --state-folder /tmp/state --manifests manifests --plugin-folder .build/plugins
            """,
        version: Host.version
    )

    @OptionGroup var options: HostOptions

    func run() async throws {
        do {
            try await Host(configuration: options.configuration()).run()
        } catch {
            FileHandle.standardError.write(Data("bgtaskd: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}
