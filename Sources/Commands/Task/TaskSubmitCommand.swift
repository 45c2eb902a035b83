// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task submit`: submits a request as the user, under the same rules as a submission of the plugin.
struct TaskSubmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submit a request for a task that a plugin's manifest permits.",
        usage: """
            bgtask task submit <identifier> --kind <kind> [--payload <FILE|->] [<options>]
            bgtask task submit --from <FILE|-> [--json]
            """,
        discussion: """
            WHEN is a time of day (its next occurrence), a date, both such as "2026-01-31 02:00", an RFC 3339 time, \
            tomorrow, or a delay such as +15min or +1h30m. Times without a zone are local. The answer has the time.

            With --from, each line of the file is a JSON object with the fields of POST /v1/tasks; blank lines are \
            skipped. Each request is accepted or refused on its own, and the lines of the output have the order of \
            the file. A call that a busy host refuses is repeated. The exit status is 1 if a request was refused.

            Examples:
              bgtask task submit com.example.feed.refresh --kind refresh
              bgtask task submit com.example.feed.clean --kind processing \\
                --not-before 02:00 --needs-external-power
              bgtask task submit com.example.photos.export.holidays --kind continued \\
                --title "Exporting holidays" --payload album.txt
              bgtask task submit --from requests.jsonl
            """
    )

    @Argument(
        help: "The task's identifier. Required without --from.",
        completion: .tasks,
        transform: IdentifierArgument.task
    )
    var identifier: TaskIdentifier?

    @Option(
        help: ArgumentHelp(
            "Submit the requests of this file, one JSON object per line; - reads standard input.",
            valueName: "FILE|-"
        )
    )
    var from: String?

    @Option(
        help: """
            Kind of the task: refresh is short, processing and health-research may take minutes, continued runs \
            as long as it makes progress. Required without --from.
            """
    )
    var kind: TaskKind?

    // Unconditional, so that a value that begins with a dash is reported as an invalid time and not as an option.
    @Option(parsing: .unconditional, help: ArgumentHelp("Run the task no earlier than this time.", valueName: "when"))
    var notBefore: String?

    // Unconditional for the same reason as `notBefore`.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Drop the request if the task has not started before this time.", valueName: "when")
    )
    var expiresAt: String?

    @Flag(help: "Run the task only with a network.")
    var needsNetwork = false

    @Flag(help: "Run the task only on external power.")
    var needsExternalPower = false

    @Option(help: "Health research: when the container has to be unlocked.")
    var protection: ProtectionType?

    @Option(help: "Continued: the title that users see while it runs. Required for that kind.")
    var title: String?

    @Option(help: "Continued: the subtitle below the title.")
    var subtitle: String?

    @Option(help: "If a continued request cannot run at once: queue lets it wait (the default), fail refuses it.")
    var strategy: SubmissionStrategy?

    @Flag(help: "Continued: request a GPU.")
    var needsGPU = false

    @Option(help: PayloadFile.help("task"))
    var payload: String?

    @Flag(help: "Begin from the start: delete the cursor that an earlier request of the task left.")
    var restart = false

    @Flag(help: "Only check the request, by the rules of a submission; the host stores nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if from != nil { return try validateFile() }
        _ = try givenIdentifier()
        try validateFields(of: try givenKind())
        _ = try earliestBegin()
        _ = try deadline()
    }

    func run() async throws {
        if let from { return try await submitFile(from) }
        let kind = try givenKind()
        let request = TaskRequest(
            identifier: try givenIdentifier(),
            kind: kind,
            earliestBegin: try earliestBegin(),
            expiresAt: try deadline(),
            requiresNetwork: needsNetwork,
            requiresExternalPower: needsExternalPower,
            protection: protection ?? .default,
            continued: kind == .continued ? continuedTerms : nil
        )
        let submission = TaskSubmission(
            request,
            payload: try payload.map(PayloadFile.bytes(of:)) ?? [],
            restart: restart
        )
        if dryRun { return try output.show(try await host.connected { try await $0.check(submission) }) }
        try output.show(try await host.connected { try await $0.submit(submission) })
    }

    private func givenIdentifier() throws -> TaskIdentifier {
        if let identifier { return identifier }
        throw ValidationError(
            "<identifier> is missing; write the identifier of a task, or --from with a file of requests"
        )
    }

    private func givenKind() throws -> TaskKind {
        guard let kind else {
            throw ValidationError(
                "--kind is missing; write --kind refresh (a short update, needs the background mode fetch), "
                    + "--kind processing or health-research (minutes of work, need the background mode processing, and "
                    + "health-research also the grant of that name) or --kind continued (as long as it makes progress)"
            )
        }
        return kind
    }

    private var continuedTerms: ContinuedTerms {
        ContinuedTerms(
            title: title ?? "",
            subtitle: subtitle,
            strategy: strategy ?? .default,
            resources: needsGPU ? .gpu : []
        )
    }

    /// Throws for an invalid title, and for options of another kind of request, which would have no effect.
    private func validateFields(of kind: TaskKind) throws {
        if kind == .continued {
            switch ContinuedTerms.titleProblem(title: title, subtitle: subtitle) {
            case .missing:
                throw ValidationError("--title is missing or empty; give the title that users see while the task runs")
            case .tooLong(let field, let bytes):
                throw ValidationError(
                    "\(field.flag) has \(bytes) bytes, more than \(ContinuedTerms.maximumTitle); shorten it"
                )
            case nil: break
            }
        }
        if !kind.mayBeginLater, notBefore != nil {
            throw ValidationError(
                "--not-before does not apply to a \(kind.name) request, which begins as soon as possible; leave it out"
            )
        }
        guard let field = RequestField.foreign(to: kind, isGiven: has) else { return }
        throw ValidationError("\(field.flag) does not apply to a \(kind.name) request; leave it out")
    }

    private func has(_ field: RequestField) -> Bool {
        switch field {
        case .requiresNetwork: needsNetwork
        case .requiresExternalPower: needsExternalPower
        case .protection: protection != nil
        case .title: title != nil
        case .subtitle: subtitle != nil
        case .strategy: strategy != nil
        case .resources: needsGPU
        }
    }

    private func earliestBegin() throws -> WallTime? {
        try notBefore.map { try TimeArgument.future($0) }
    }

    private func deadline() throws -> WallTime? { try expiresAt.map { try TimeArgument.future($0) } }
}

// Only kinds that can be submitted are accepted.
extension TaskKind: ExpressibleByArgument {
    init?(argument: String) {
        guard let kind = Self.submittable.first(where: { $0.name == argument }) else { return nil }
        self = kind
    }

    static var allValueStrings: [String] { submittable.map(\.name) }
}

extension SubmissionStrategy: ExpressibleByArgument {
    init?(argument: String) {
        guard let strategy = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = strategy
    }

    static var allValueStrings: [String] { allCases.map(\.name) }
}

extension ProtectionType: ExpressibleByArgument {
    init?(argument: String) {
        guard let type = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = type
    }

    static var allValueStrings: [String] { allCases.map(\.name) }
}
