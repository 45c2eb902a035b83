// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import PluginTrial
import TaskModel

/// `bgtask plugin try`: runs one task of a plugin without a host.
struct PluginTryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Run one task of a plugin without a host.",
        discussion: """
            A runner loads the plugin in the sandbox of its manifest and runs the task with a budget, in an empty \
            container that is deleted afterwards, unless --keep is given. As root the plugin runs as the user nobody. Log lines, output, \
            progress, submissions and violations are printed with their times; then the outcome. Submissions are \
            answered by the rules of the manifest, and no submitted request runs, except a continued task, which is \
            delivered to the same process.

            IDENTIFIER is a task identifier, or the name of an event: started or fetch of a main plugin, trigger of an \
            extension.

            Examples:
              bgtask plugin try feed.yaml com.example.feed.refresh --budget 2s
              bgtask plugin try feed.yaml com.example.feed.refresh --simulate network-lost
              bgtask plugin try com.example.feed started --system

            Exit codes: 0 completed with success or without new data, 1 another outcome, 2 misuse.
            """
    )

    @Argument(help: "A manifest file, or the identifier of an installed plugin.")
    var plugin: String

    @Argument(help: "The task identifier, or the name of an event.")
    var identifier: String

    @Option(
        help: ArgumentHelp(
            "The kind of the task; by default the first of processing, refresh and continued that the manifest permits,"
                + " and continued for an identifier that only a pattern permits.",
            valueName: "kind"
        ),
        transform: Self.kind
    )
    var kind: TaskKind?

    @Option(
        help: ArgumentHelp(
            "Expire the task for this reason: budget, external-power-lost, network-lost, not-idle, stopped-by-user, "
                + "no-progress, memory-pressure, host-shutdown, container-locked or lease-lost.",
            valueName: "reason"
        ),
        transform: Self.reason
    )
    var simulate: ExpirationReason?

    @Option(
        help: ArgumentHelp(
            "Time from the return of entry to the simulated expiration; 100ms by default.",
            valueName: "time"
        ),
        transform: SignatureArgument.time
    )
    var after: Duration?

    @Option(
        help: ArgumentHelp(
            "Budget of the launch; 30s by default. For a continued task: the time that it may go without progress.",
            valueName: "time"
        ),
        transform: SignatureArgument.time
    )
    var budget: Duration = .seconds(30)

    @Option(
        help: ArgumentHelp("Grace period after an expiration; 5s by default.", valueName: "time"),
        transform: SignatureArgument.time
    )
    var gracePeriod: Duration = .seconds(5)

    @Option(
        help: ArgumentHelp(
            "Time limit of the launch, after which every open task expires;"
                + " \(TrialScript.defaultLimit.humanReadable) by default.",
            valueName: "time"
        ),
        transform: SignatureArgument.time
    )
    var limit: Duration = TrialScript.defaultLimit

    @Option(help: PayloadFile.help("task"))
    var payload: String?

    @Option(
        help: ArgumentHelp(
            "Run the task as the item 1 of a fleet's queue with this fence, a number from 1.",
            valueName: "number"
        )
    )
    var fence: Int64?

    @Option(
        name: .customLong("with"),
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Manifests of the same host to read as well, such as that of an extension's main plugin.",
            valueName: "manifest"
        )
    )
    var neighbours: [String] = []

    @OptionGroup var trial: TrialOptions
    @OptionGroup var places: PlaceOptions

    @Flag(help: "Keep the container, and print its path.")
    var keep = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        _ = try PluginChoice(plugin)
        if budget > limit {
            throw ValidationError(
                "--budget \(budget.humanReadable) is longer than the time limit of the launch,"
                    + " \(limit.humanReadable); raise it with --limit"
            )
        }
        if let fence, fence < 1 {
            throw ValidationError("--fence \(fence) is no number of a claim; write a number from 1")
        }
        if after != nil, simulate == nil {
            throw ValidationError("--after has no effect without --simulate; add --simulate REASON, or leave it out")
        }
    }

    func run() async throws {
        let report = try await Interruptible.cancelling { try await self.report() }
        try OutputOptions(json: json).show(report)
        if !report.isSuccess {
            throw CommandFailure(.refused, "the task has the outcome \(report.outcome): \(report.meaning)")
        }
    }

    private static func kind(_ text: String) throws -> TaskKind {
        try WordArgument.value(text, among: TaskKind.submittable, \.name)
    }

    private static func reason(_ text: String) throws -> ExpirationReason {
        try WordArgument.value(text, among: ExpirationReason.all, \.word)
    }
}
