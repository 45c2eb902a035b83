// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel

/// The filter options of `bgtask journal`. An entry is shown when it matches one value of every given option.
struct JournalFilterOptions: ParsableArguments {
    @OptionGroup var plugin: PluginFilterOptions

    @Option(
        help: ArgumentHelp("Only entries of this launch.", valueName: "number"),
        completion: .severalLaunches,
        transform: { try FilterValues.list($0, IdentifierArgument.launch) }
    )
    private var launch: [[LaunchNumber]] = []

    @Option(
        help: ArgumentHelp("Only entries of this task.", valueName: "identifier"),
        completion: .severalTasks,
        transform: { try FilterValues.list($0, IdentifierArgument.task) }
    )
    private var identifier: [[TaskIdentifier]] = []

    @Option(
        name: [.customLong("event"), .customLong("outcome")],
        help: ArgumentHelp(
            "Only entries with this event or outcome: "
                + "\(JournalEntry.Event.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "name"
        ),
        completion: .several(JournalEntry.Event.allCases, \.name),
        transform: { try FilterValues.words($0, among: JournalEntry.Event.allCases, \.name) }
    )
    private var event: [[JournalEntry.Event]] = []

    @Option(
        help: ArgumentHelp(
            "Only entries with this blame: \(Blame.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "whom"
        ),
        completion: .several(Blame.allCases, \.rawValue),
        transform: { try FilterValues.words($0, among: Blame.allCases, \.rawValue) }
    )
    private var blame: [[Blame]] = []

    @Flag(help: "Only entries about requests that a feeder claimed for this host.")
    var claims = false

    @OptionGroup var period: PeriodOptions

    @Option(
        help: ArgumentHelp("Only entries with this text; capital and small letters are equal.", valueName: "text")
    )
    var grep: String?

    var selector: JournalSelector {
        JournalSelector(
            plugins: plugin.plugins,
            launches: FilterValues.distinct(launch),
            labels: FilterValues.distinct(identifier).map(\.text),
            events: Set(event.joined()),
            blames: FilterValues.distinct(blame),
            since: period.since,
            until: period.until,
            hasClaim: claims,
            text: grep?.lowercased()
        )
    }
}
