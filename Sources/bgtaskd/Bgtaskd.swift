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
            Many keys of the configuration file are flags as well; a flag takes precedence over its key.

            Example: bgtaskd --state-directory /tmp/state --manifests manifests --plugin-directory .build/plugins
            """,
        version: Host.version
    )

    @OptionGroup var options: HostFlags

    static func main() async {
        do {
            let command = try parse()
            try await Host(configuration: command.options.configuration()).run()
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
