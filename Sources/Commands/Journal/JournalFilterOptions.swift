// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel

/// The filter options of `bgtask journal`. An entry is shown when it matches every given option.
struct JournalFilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only entries of this plugin.", valueName: "identifier"),
        transform: IdentifierArgument.plugin
    )
    var plugin: PluginIdentifier?

    @Option(
        help: ArgumentHelp("Only entries of this launch.", valueName: "number"),
        transform: IdentifierArgument.launch
    )
    var launch: LaunchNumber?

    @Option(
        help: ArgumentHelp("Only entries of this task.", valueName: "identifier"),
        transform: IdentifierArgument.task
    )
    var identifier: TaskIdentifier?

    @Option(
        name: [.customLong("event"), .customLong("outcome")],
        help: ArgumentHelp(
            "Only entries with this event or outcome; may be repeated: "
                + "\(JournalEntry.Event.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "name"
        ),
        transform: { try WordArgument.value($0, among: JournalEntry.Event.allCases, \.name) }
    )
    var event: [JournalEntry.Event] = []

    @Option(
        help: ArgumentHelp(
            "Only entries with this blame, one of \(Blame.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "whom"
        ),
        transform: { try WordArgument.value($0, among: Blame.allCases, \.rawValue) }
    )
    var blame: Blame?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only entries since a time: \(TimeArgument.forms), or a duration before now such as 2h or 1h30m.",
            valueName: "time"
        ),
        transform: TimeArgument.past
    )
    var since: WallTime?

    var filter: JournalFilter {
        JournalFilter(
            plugin: plugin,
            launch: launch,
            label: identifier?.text,
            events: Set(event),
            blame: blame,
            since: since
        )
    }
}
