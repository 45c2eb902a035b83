// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel

/// Hands in a request on a person's behalf, as the plugin itself would.
struct TaskSubmitCommand: AsyncParsableCommand {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case refresh
        case processing

        var taskKind: TaskKind { self == .refresh ? .refresh : .processing }
    }

    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submit a request for a task that a plugin's manifest permits.",
        usage: "bgtask task submit <identifier> --kind <refresh|processing> [--payload <FILE|->] [<options>]",
        discussion: """
            WHEN is a time of day (its next occurrence here), an RFC 3339 time, or a delay such as +15min or +1h30min.

            Examples:
              bgtask task submit com.example.feed.refresh --kind refresh
              bgtask task submit com.example.feed.clean --kind processing \\
                --not-before 02:00 --needs-external-power
            """
    )

    @Argument(help: "The task's identifier.", transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @Option(help: "What kind of work it is: refresh is short, processing may take minutes. Required.")
    var kind: Kind?

    @Option(help: ArgumentHelp("Do not run it earlier.", valueName: "when"))
    var notBefore: String?

    @Flag(help: "Run it only with a network.")
    var needsNetwork = false

    @Flag(help: "Run it only on external power.")
    var needsExternalPower = false

    @Option(help: PayloadFile.help("task"))
    var payload: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if kind == nil {
            throw ValidationError(
                "--kind is missing; write --kind refresh (a short update, needs the background mode fetch) or "
                    + "--kind processing (minutes of work, needs the background mode processing)"
            )
        }
        _ = try earliestBegin()
    }

    func run() async throws {
        let request = TaskRequest(
            identifier: identifier,
            kind: (kind ?? .processing).taskKind,
            earliestBegin: try earliestBegin(),
            requiresNetwork: needsNetwork,
            requiresExternalPower: needsExternalPower
        )
        let submission = TaskSubmission(request, payload: try payload.map(PayloadFile.bytes(of:)) ?? [])
        try output.show(try await host.connected { try await $0.submit(submission) })
    }

    private func earliestBegin() throws -> WallTime? {
        try notBefore.map { try BeginTime($0, for: Surroundings.current.reader).time }
    }
}
