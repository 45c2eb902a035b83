// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel

/// Hands in a request on a person's behalf, as the plugin itself would.
struct TaskSubmitCommand: AsyncParsableCommand {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case refresh
        case processing
        case healthResearch = "health-research"
        case continued

        var taskKind: TaskKind {
            switch self {
            case .refresh: .refresh
            case .processing: .processing
            case .healthResearch: .healthResearch
            case .continued: .continued
            }
        }
    }

    enum Strategy: String, ExpressibleByArgument, CaseIterable {
        case queue
        case fail
    }

    enum Protection: String, ExpressibleByArgument, CaseIterable {
        case untilFirstAuthentication = "until-first-authentication"
        case none
        case unlessOpen = "unless-open"
        case complete

        var type: ProtectionType {
            switch self {
            case .untilFirstAuthentication: .untilFirstAuthentication
            case .none: .none
            case .unlessOpen: .unlessOpen
            case .complete: .complete
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submit a request for a task that a plugin's manifest permits.",
        usage: "bgtask task submit <identifier> --kind <kind> [--payload <FILE|->] [<options>]",
        discussion: """
            WHEN is a time of day (its next occurrence here), an RFC 3339 time, or a delay such as +15min or +1h30min.

            Examples:
              bgtask task submit com.example.feed.refresh --kind refresh
              bgtask task submit com.example.feed.clean --kind processing \\
                --not-before 02:00 --needs-external-power
              bgtask task submit com.example.photos.export.holidays --kind continued \\
                --title "Exporting holidays" --payload album.txt
            """
    )

    @Argument(help: "The task's identifier.", transform: IdentifierArgument.task)
    var identifier: TaskIdentifier

    @Option(
        help: """
            What kind of work it is: refresh is short, processing and health-research may take minutes, continued runs \
            as long as it makes progress. Required.
            """
    )
    var kind: Kind?

    @Option(help: ArgumentHelp("Do not run it earlier.", valueName: "when"))
    var notBefore: String?

    @Flag(help: "Run it only with a network.")
    var needsNetwork = false

    @Flag(help: "Run it only on external power.")
    var needsExternalPower = false

    @Option(help: "Health research: in which state of the container's lock it can work.")
    var protection: Protection?

    @Option(help: "Continued: what people see while it runs. Required for that kind.")
    var title: String?

    @Option(help: "Continued: a second line.")
    var subtitle: String?

    @Option(help: "Continued: wait for room (queue, the default), or fail when there is none.")
    var strategy: Strategy?

    @Flag(help: "Continued: run it only where there is a GPU.")
    var needsGPU = false

    @Option(help: PayloadFile.help("task"))
    var payload: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if kind == nil {
            throw ValidationError(
                "--kind is missing; write --kind refresh (a short update, needs the background mode fetch), "
                    + "--kind processing or health-research (minutes of work, need the background mode processing) or "
                    + "--kind continued (as long as it makes progress)"
            )
        }
        try validateFieldsOfKind()
        _ = try earliestBegin()
    }

    func run() async throws {
        let kind = (kind ?? .processing).taskKind
        let request = TaskRequest(
            identifier: identifier,
            kind: kind,
            earliestBegin: try earliestBegin(),
            requiresNetwork: needsNetwork,
            requiresExternalPower: needsExternalPower,
            protection: protection?.type ?? .untilFirstAuthentication,
            continued: kind == .continued ? continuedTerms : nil
        )
        let submission = TaskSubmission(request, payload: try payload.map(PayloadFile.bytes(of:)) ?? [])
        try output.show(try await host.connected { try await $0.submit(submission) })
    }

    private var continuedTerms: ContinuedTerms {
        ContinuedTerms(
            title: title ?? "",
            subtitle: subtitle,
            strategy: strategy == .fail ? .fail : .queue,
            resources: needsGPU ? .gpu : []
        )
    }

    /// What another kind has would go unheard.
    private func validateFieldsOfKind() throws {
        guard let kind else { return }
        if kind == .continued, title?.isEmpty ?? true {
            throw ValidationError("--title is missing; a continued task is shown by it while it runs")
        }
        let isContinued = kind == .continued
        let foreign: [(name: String, isGiven: Bool, belongs: Bool)] = [
            ("--needs-network", needsNetwork, kind.taskKind.isProcessing),
            ("--needs-external-power", needsExternalPower, kind.taskKind.isProcessing),
            ("--protection", protection != nil, kind == .healthResearch),
            ("--title", title != nil, isContinued), ("--subtitle", subtitle != nil, isContinued),
            ("--strategy", strategy != nil, isContinued), ("--needs-gpu", needsGPU, isContinued),
        ]
        guard let first = foreign.first(where: { $0.isGiven && !$0.belongs }) else { return }
        throw ValidationError("\(first.name) is not for a \(kind.rawValue) request; leave it out")
    }

    private func earliestBegin() throws -> WallTime? {
        try notBefore.map { try BeginTime($0, for: Surroundings.current.reader).time }
    }
}
