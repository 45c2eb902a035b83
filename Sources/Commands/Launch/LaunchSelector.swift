// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// The options that select launches.
struct LaunchFilterOptions: ParsableArguments {
    @OptionGroup var plugin: PluginFilterOptions

    @Option(
        help: ArgumentHelp(
            "Only launches that run, or with this outcome of the launch or of one of its tasks.",
            valueName: "outcome"
        ),
        completion: .several(LaunchSelector.outcomes) { $0 },
        transform: { try FilterValues.words($0, among: LaunchSelector.outcomes) { $0 } }
    )
    private var outcome: [[String]] = []

    @Option(
        help: ArgumentHelp(
            "Only launches of this lane: \(Lane.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "lane"
        ),
        completion: .several(Lane.allCases, \.name),
        transform: { try FilterValues.words($0, among: Lane.allCases, \.name) }
    )
    private var lane: [[Lane]] = []

    @Option(
        help: ArgumentHelp("Only launches with this task.", valueName: "identifier"),
        completion: .severalTasks,
        transform: { try FilterValues.list($0, IdentifierArgument.task) }
    )
    private var identifier: [[TaskIdentifier]] = []

    @OptionGroup var period: PeriodOptions

    var selector: LaunchSelector {
        LaunchSelector(
            plugins: plugin.plugins,
            outcomes: Set(outcome.joined()),
            lanes: Set(lane.joined().map(\.name)),
            identifiers: Set(identifier.joined().map(\.text)),
            since: period.since,
            until: period.until
        )
    }
}

/// A selection of launches. Each empty set selects everything.
struct LaunchSelector: Hashable {
    /// The value of `--outcome` for a launch without an outcome.
    static let running = "running"
    static let outcomes = Array(
        Set([running] + LaunchOutcome.allCases.map(\.rawValue) + TaskOutcome.allCases.map(\.rawValue))
    ).sorted()

    var plugins: [PluginIdentifier] = []
    var outcomes: Set<String> = []
    var lanes: Set<String> = []
    var identifiers: Set<String> = []
    var since: WallTime?
    var until: WallTime?

    /// The newest selected launches, newest first. The host selects the plugins; the rest is selected here.
    func launches(of client: ControlClient, limit: Int) async throws -> LaunchListReply {
        var all: [LaunchReply] = []
        for plugin in FilterValues.choices(plugins) {
            all += try await client.launches(limit: limit, plugin: plugin, isOld: isOld, where: selects)
        }
        if all.isEmpty { try await client.requireKnown(identifiers) }
        return LaunchListReply(launches: Array(all.sorted { $0.launch > $1.launch }.prefix(limit)))
    }

    /// Whether neither this launch nor any older one is selected.
    @Sendable private func isOld(_ launch: LaunchReply) -> Bool { since.map { launch.startedAt.wall < $0 } ?? false }

    @Sendable func selects(_ launch: LaunchReply) -> Bool {
        (outcomes.isEmpty || !outcomes.isDisjoint(with: words(of: launch)))
            && (lanes.isEmpty || lanes.contains(launch.lane))
            && (identifiers.isEmpty || launch.tasks.contains { identifiers.contains($0.task) })
            && !isOld(launch) && (until.map { launch.startedAt.wall < $0 } ?? true)
    }

    private func words(of launch: LaunchReply) -> [String] {
        [launch.outcome ?? Self.running] + launch.tasks.compactMap(\.outcome)
    }
}
