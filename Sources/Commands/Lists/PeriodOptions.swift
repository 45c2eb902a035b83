// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel
import TerminalText

/// The options `--since` and `--until` of commands that show past events.
struct PeriodOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Nothing before this time: \(TimeArgument.forms), or a duration before now such as 2h or 1h30m.",
            valueName: "time"
        ),
        transform: TimeArgument.past
    )
    var since: WallTime?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Nothing from this time on, written as that of --since.", valueName: "time"),
        transform: TimeArgument.past
    )
    var until: WallTime?

    func validate() throws {
        guard let since, let until, until <= since else { return }
        let reader = CommandContext.current.reader
        throw ValidationError(
            "--until is \(Timestamp(until).localText(for: reader)), which is not after --since,"
                + " \(Timestamp(since).localText(for: reader)); exchange the two times, or leave one out"
        )
    }
}
