// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// `bgtask plugin pause`: lets the pending work of plugins wait until they are resumed.
struct PluginPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Let the work of plugins wait: no launch of them starts until they are resumed.",
        usage: """
            bgtask plugin pause <identifiers> ... [--until <when> | --for <duration>] [<options>]
            bgtask plugin pause --all | <filters> [--until <when> | --for <duration>] [--yes | --dry-run] [<options>]
            """,
        discussion: """
            Requests are still accepted and wait, also those of "bgtask run". Launches that run continue; stop them
            with "bgtask launch stop". A pause survives restarts of the host and upgrades of the plugin.

            With --all or filters, the command prints the selected plugins and asks before it pauses them.

            Examples:
              bgtask plugin pause com.example.feed --for 2h
              bgtask plugin pause --state failing --until tomorrow
            """
    )

    // Unconditional, so that a value that begins with a dash is reported as an invalid time and not as an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Resume the plugins at this time: \(TimeArgument.forms), or a delay such as +2h.",
            valueName: "when"
        )
    )
    var until: String?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("Resume the plugins after this time (\(DurationText.units)).", valueName: "duration")
    )
    var duration: String?

    @OptionGroup var subjects: PluginSubjects

    func validate() throws {
        if until != nil, duration != nil {
            throw ValidationError("--until and --for both state the end of the pause; give one of them")
        }
        _ = try end()
    }

    func run() async throws {
        let order = PluginPauseOrder(until: try end())
        try await subjects.change(
            to: "pause",
            where: { $0.state != .paused },
            orFail: "nothing to pause: no plugin is selected, or all of them are paused"
        ) { try await $0.pause($1, order) }
    }

    private func end() throws -> WallTime? {
        let reader = CommandContext.current.reader
        if let until { return try end(at: TimeArgument.future(until), for: reader) }
        guard let duration else { return nil }
        if let time = DurationText.duration(duration[...]), time > .zero { return reader.now + time }
        let remedy = DurationText.correction(of: duration[...]).map { "write \($0)" } ?? "write it like 30min or 2h"
        throw ValidationError("--for \"\(duration)\" is not a duration above zero; \(remedy)")
    }

    private func end(at time: WallTime, for reader: Reader) throws -> WallTime {
        if time > reader.now { return time }
        throw ValidationError(
            "--until is \(Timestamp(time).text(for: reader)), which has passed; write a later time, such as tomorrow or"
                + " +2h, or leave it out to pause the plugin until it is resumed"
        )
    }
}
