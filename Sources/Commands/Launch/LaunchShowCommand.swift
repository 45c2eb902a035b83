// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// `bgtask launch show`: shows one launch with the tasks of its batch and the last lines of its log.
struct LaunchShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a launch: its tasks with their outcomes, its budget, its end, the last lines of its log.",
        discussion: """
            The lines need the role operate. They are not part of the JSON: see bgtask logs --json.

            Example:
              bgtask launch show 41
            """
    )

    @Argument(help: "The launch's number.", completion: .launches, transform: IdentifierArgument.launch)
    var number: LaunchNumber

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        let (number, json) = (number, output.json)
        let (launch, log) = try await host.connected { client in
            let launch = try await client.launch(number)
            return (launch, json ? nil : try await Self.log(of: number, client))
        }
        try output.show(launch)
        guard let log, !log.lines.isEmpty else { return }
        let context = CommandContext.current
        try context.write("\n" + log.table(for: context.reader).text)
    }

    private static let lines = 10

    /// The last lines of a launch; nil for a caller whose role is too low.
    private static func log(of launch: LaunchNumber, _ client: ControlClient) async throws -> LogReply? {
        do throws(ControlError) {
            return try await client.logs(LogQuery(launch: launch), limit: lines)
        } catch .refused(status: 403, _) {
            return nil
        }
    }
}
