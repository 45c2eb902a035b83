// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import CKeptPriority
import Foundation
import HostConfiguration
import HostService
import TaskModel

/// The program of the host, which finds plugins, schedules and launches their tasks, supervises the launches and
/// records the outcomes.
@main
struct Bgtaskd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bgtaskd",
        abstract: "Runs background tasks of plugins.",
        discussion: """
            Each option except --config, --system and --user stands for a key of the configuration file, and takes \
            precedence over it.

            Example: bgtaskd --state-directory /tmp/state --manifests manifests --plugin-directory .build/plugins
            """,
        version: Host.version
    )

    @OptionGroup var options: HostFlags

    static func main() async {
        Host.returnFreedMemory()
        do {
            let command = try parse()
            // Flags keep their precedence over the file in a reload.
            let host = try Host(configuration: command.options.configuration()) {
                try Self.parse().options.configuration()
            }
            try await host.run()
        } catch let error as HostError {
            FileHandle.standardError.write(Data("bgtaskd: \(error)\n".terminalSafeLines.utf8))
            Foundation.exit(error.code == .configurationInvalid ? Self.misuse : 1)
        } catch  where exitCode(for: error) == .validationFailure {
            FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").terminalSafeLines.utf8))
            Foundation.exit(Self.misuse)
        } catch  where error is CleanExit || exitCode(for: error) == .success {
            exit(withError: error)
        } catch {
            FileHandle.standardError.write(Data("bgtaskd: \(error)\n".terminalSafeLines.utf8))
            Foundation.exit(1)
        }
    }

    /// The exit status for invalid arguments or an invalid configuration, the same as for `bgtask`.
    private static let misuse: Int32 = 2
}
