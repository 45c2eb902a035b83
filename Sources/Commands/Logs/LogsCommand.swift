// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// `bgtask logs`: shows the lines that plugins wrote, and with `--follow` every new line.
struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show what a plugin wrote: its log, standard output and standard error.",
        discussion: """
            A task identifier selects the launches of the task without the lines of their other tasks, a plugin \
            identifier all its launches, a number one launch; without an argument every launch is selected. --follow \
            prints new lines until Ctrl-C or the end of the launch; with --json each line is one line of the log. The \
            exit status is 1 if no line is shown.

            Examples:
              bgtask logs com.example.feed.refresh --follow
              bgtask logs com.example.feed --since 2h --level warning
              bgtask logs 41 --grep timeout
              bgtask logs com.example.feed --previous
            """
    )

    @Argument(
        help: ArgumentHelp("Identifier of a task or plugin, or number of a launch.", valueName: "anything"),
        completion: .anything,
        transform: LogSubject.init(argument:)
    )
    var subject: LogSubject?

    @Flag(help: "Also print new lines, until Ctrl-C or the end of the launch.")
    var follow = false

    @Flag(help: "Only the launch before the newest one, or before the given one.")
    var previous = false

    @Option(help: ArgumentHelp("Print at most this number of the newest lines.", valueName: "number"))
    var limit = 100

    @Option(
        help: ArgumentHelp(
            "Only lines of this level and above: \(LogLevel.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "level"
        ),
        completion: .words(LogLevel.allCases, \.name),
        transform: { try WordArgument.value($0, among: LogLevel.allCases, \.name) }
    )
    var level: LogLevel?

    @OptionGroup var period: PeriodOptions

    @Option(
        help: ArgumentHelp("Only lines with this text; capital and small letters are equal.", valueName: "text")
    )
    var grep: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if follow, previous {
            throw ValidationError("--previous selects a launch that has ended; leave out --follow")
        }
        if previous, subject == nil {
            throw ValidationError("--previous needs a launch to go back from; name a task, a plugin or a launch")
        }
        if follow {
            guard PageLimit.range.contains(limit) else {
                throw ValidationError(
                    "--limit \(limit) is not between \(PageLimit.range.lowerBound) and \(PageLimit.range.upperBound);"
                        + " write a whole number in that range, or leave out --follow"
                )
            }
        } else {
            try LimitArgument.check(limit)
        }
    }

    func run() async throws {
        let (json, limit, query) = (output.json, limit, query)
        if follow {
            try await host.connected { client in
                try await Interruptible.run { try await LogFollower(json: json, query: query).follow(client) }
            }
        } else {
            let logs = try await host.connected { try await $0.logs(query, limit: limit) }
            try output.show(logs)
            if logs.lines.isEmpty { throw NothingFound(message: "no log line found") }
        }
    }

    private var query: LogQuery {
        LogQuery(
            limit: min(limit, PageLimit.range.upperBound),
            launch: subject?.launch,
            identifier: subject?.identifier,
            isPrevious: previous,
            level: level,
            since: period.since,
            until: period.until,
            text: grep
        )
    }
}
