// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import TaskModel

/// The options that select tasks whose last run ended without success.
struct RetryFilterOptions: ParsableArguments {
    @OptionGroup var plugin: PluginFilterOptions

    @Option(
        help: ArgumentHelp(
            "Only tasks of this kind: \(RetrySelector.kindsToRetry.map(\.name).joined(separator: ", ")).",
            valueName: "kind"
        ),
        completion: .several(RetrySelector.kindsToRetry, \.name),
        transform: { try FilterValues.words($0, among: RetrySelector.kindsToRetry, \.name) }
    )
    private var kind: [[TaskKind]] = []

    @OptionGroup var identifier: TaskIdentifierFilterOptions

    @Option(
        help: ArgumentHelp(
            "Only tasks whose last run had this outcome: "
                + "\(RetrySelector.outcomesToRetry.map(\.rawValue).joined(separator: ", ")).",
            valueName: "outcome"
        ),
        completion: .several(RetrySelector.outcomesToRetry, \.rawValue),
        transform: { try FilterValues.words($0, among: RetrySelector.outcomesToRetry, \.rawValue) }
    )
    private var outcome: [[TaskOutcome]] = []

    @OptionGroup var period: PeriodOptions

    var selector: RetrySelector {
        RetrySelector(
            plugins: plugin.plugins,
            kinds: Set(kind.joined().map(\.name)),
            identifiers: identifier.identifiers,
            outcomes: Set(outcome.joined().map(\.rawValue)),
            since: period.since,
            until: period.until
        )
    }
}
