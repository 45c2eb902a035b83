// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask run`: launches tasks now, regardless of time and conditions. It submits a request for each task without a
/// pending one, and with `--wait` waits for the end of the task.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run tasks now, regardless of time and conditions.",
        usage: """
            bgtask run <identifiers> ... [--kind <kind>] [<options>]
            bgtask run <identifier> [--kind <kind>] [--payload <FILE|->] [--wait [--timeout <duration>]] [<options>]
            """,
        discussion: """
            A pending request of the task is launched. Without one, or with --payload or --kind, a new request is \
            submitted first: of the given kind, of the kind of the task's schedule or its last launch, or of the only \
            kind that the manifest permits.

            With --wait, the command prints what the task writes, waits for its end, retries included, and exits with \
            0 if it succeeded, 10 if it failed, 11 if it expired or was stopped, 12 if it was abandoned, and 13 if it \
            was cancelled or replaced. After --timeout it exits with 124; the task continues. Without the role \
            operate, the log of the task is not printed.

            Examples:
              bgtask run com.example.feed.refresh com.example.feed.clean
              bgtask run com.example.feed.clean --wait --timeout 10min
              bgtask run com.example.feed.import --kind processing --payload feed.json
            """
    )

    @Argument(help: "Identifiers of tasks.", completion: .tasks, transform: IdentifierArgument.task)
    var identifiers: [TaskIdentifier] = []

    @Option(help: "Submit a request of this kind: refresh, processing or health-research.")
    var kind: TaskKind?

    @Option(help: PayloadFile.help("task"))
    var payload: String?

    @Flag(help: "Print what the task writes, and exit with its outcome.")
    var wait = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End the waiting, not the task, after this time (\(DurationText.units)).",
            valueName: "duration"
        )
    )
    var timeout: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        guard let first = identifiers.first else {
            throw ValidationError("no task is named; give the identifier of a task")
        }
        if identifiers.count > 1, wait || payload != nil {
            throw ValidationError("\(wait ? "--wait" : "--payload") is for one task; name only \(first)")
        }
        if kind == .continued {
            throw ValidationError(
                "--kind continued needs a title; submit the request with: bgtask task submit \(first) --kind continued"
                    + " --title TITLE, then run it"
            )
        }
        if timeout != nil, !wait { throw ValidationError("--timeout ends the waiting; give --wait as well") }
        _ = try limit()
    }

    func run() async throws {
        let payload = try payload.map(PayloadFile.bytes(of:))
        let launcher = TaskLauncher(kind: kind, payload: payload)
        guard wait, let identifier = identifiers.first else {
            return try output.show(try await host.connected { try await launcher.launch(identifiers, with: $0) })
        }
        let (json, limit) = (output.json, try limit())
        let end = try await Interruptible.cancelling {
            try await host.connected { client in
                let began = CommandContext.current.now()
                let start = try await client.journal(limit: 1).last
                let (report, submission) = try await launcher.launch(identifier, with: client)
                if !json { try output.show(report) }
                let waiter = TaskWaiter(
                    task: identifier,
                    submission: submission,
                    start: start,
                    began: began,
                    json: json
                )
                return try await waiter.end(with: client, within: limit)
            }
        }
        try end.conclude()
    }

    private func limit() throws -> Duration? {
        guard let timeout else { return nil }
        if let time = DurationText.duration(timeout[...]), time > .zero { return time }
        let remedy = DurationText.correction(of: timeout[...]).map { "write \($0)" } ?? "write it like 30s or 10min"
        throw ValidationError("--timeout \"\(timeout)\" is not a duration above zero; \(remedy)")
    }
}
