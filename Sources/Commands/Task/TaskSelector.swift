// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// The options that select running tasks, pending requests and waiting events.
struct TaskFilterOptions: ParsableArguments {
    @OptionGroup var plugin: PluginFilterOptions

    @Option(
        help: ArgumentHelp(
            "Only work of this kind: \(TaskKind.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "kind"
        ),
        completion: .several(TaskKind.allCases, \.name),
        transform: { try FilterValues.words($0, among: TaskKind.allCases, \.name) }
    )
    private var kind: [[TaskKind]] = []

    @Option(
        help: ArgumentHelp(
            "Only work in this state: \(TaskRow.State.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "state"
        ),
        completion: .several(TaskRow.State.allCases, \.rawValue),
        transform: { try FilterValues.words($0, among: TaskRow.State.allCases, \.rawValue) }
    )
    private var state: [[TaskRow.State]] = []

    @OptionGroup var identifier: TaskIdentifierFilterOptions

    @Option(
        help: ArgumentHelp("Only work whose first reason for waiting has this code.", valueName: "code"),
        completion: .several(ReasonKind.allCases, \.row.code),
        transform: { try FilterValues.words($0, among: ReasonKind.allCases, \.row.code) }
    )
    private var reason: [[ReasonKind]] = []

    var selector: TaskSelector {
        TaskSelector(
            plugins: plugin.plugins,
            kinds: Set(kind.joined()),
            states: Set(state.joined()),
            identifiers: identifier.identifiers,
            reasons: Set(reason.joined().map(\.row.code))
        )
    }
}

/// A selection of running tasks, pending requests and waiting events. Each empty set selects everything.
struct TaskSelector: Hashable {
    var plugins: [PluginIdentifier] = []
    var kinds: Set<TaskKind> = []
    var states: Set<TaskRow.State> = []
    var identifiers: Set<String> = []
    var reasons: Set<String> = []

    var isEmpty: Bool { self == TaskSelector() }

    /// The selected work. The host selects plugins and kinds; the rest is selected here.
    func tasks(of client: ControlClient) async throws -> TaskListReply {
        var list: TaskListReply?
        for plugin in FilterValues.choices(plugins) {
            let part = try await client.tasks(plugin: plugin, kinds: kinds)
            list = list.map { $0.joined(with: part) } ?? part
        }
        var selected = list ?? TaskListReply(pending: [], running: [], events: [])
        if states.isEmpty, identifiers.isEmpty, reasons.isEmpty { return selected }
        selected.rows = selected.rows.filter(selects)
        if selected.isEmpty { try await client.requireKnown(identifiers) }
        return selected
    }

    func selects(_ row: TaskRow) -> Bool {
        (states.isEmpty || states.contains(row.state)) && (identifiers.isEmpty || identifiers.contains(row.task))
            && (reasons.isEmpty || row.reason.map(reasons.contains) == true)
    }
}

extension TaskListReply {
    fileprivate func joined(with other: TaskListReply) -> TaskListReply {
        var list = self
        list.rows += other.rows
        list.isPartial = isPartial || other.isPartial
        return list
    }
}
