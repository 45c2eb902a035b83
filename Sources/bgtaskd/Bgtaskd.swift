// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Dispatch
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

    /// Not the async entry: its task would have the priority of a user's click, and hand it on to all that it starts.
    static func main() {
        Task.detached(priority: .medium) { Foundation.exit(await status()) }
        dispatchMain()
    }

    private static func status() async -> Int32 {
        do {
            let command = try parse()
            try await Host(configuration: command.options.configuration()).run()
            return 0
        } catch let error as HostError {
            FileHandle.standardError.write(Data("bgtaskd: \(error)\n".utf8))
            return error.code == .configurationInvalid ? misuse : 1
        } catch  where exitCode(for: error) == .validationFailure {
            FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
            return misuse
        } catch  where error is CleanExit || exitCode(for: error) == .success {
            exit(withError: error)
        } catch {
            FileHandle.standardError.write(Data("bgtaskd: \(error)\n".utf8))
            return 1
        }
    }

    /// As with `bgtask`: arguments or a configuration that nobody can follow.
    private static let misuse: Int32 = 2
}
