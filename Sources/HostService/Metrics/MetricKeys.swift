// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The labels of the series that the host counts. No label contains an identifier of a task, because patterns of
// manifests permit any number of them.

/// The labels `plugin` and `kind`.
struct TaskSeries: Hashable, Sendable {
    let plugin: String
    let kind: String
}

/// The labels of outcomes of tasks.
struct OutcomeSeries: Hashable, Sendable {
    let task: TaskSeries
    let outcome: TaskOutcome
    /// The blamed side; nil for series without this label.
    var blame: Blame?
}

/// The labels `plugin` and `lane`.
struct LaunchSeries: Hashable, Sendable {
    let plugin: String
    let lane: String
}

/// The labels of ended launches.
struct LaunchEndSeries: Hashable, Sendable {
    let launch: LaunchSeries
    let outcome: LaunchOutcome
}

/// The labels `event` and `blame` of journal entries.
struct EventSeries: Hashable, Sendable {
    let event: String
    let blame: Blame
}

/// The labels of ended transfers.
struct TransferSeries: Hashable, Sendable {
    let direction: TransferDescription.Direction
    /// The state, or the code of the result of a failed transfer.
    let result: String
}

/// The labels of requests at the control socket.
struct RequestSeries: Hashable, Sendable {
    /// The template of the route; `none` when no route matched.
    let route: String
    /// The method of the route; `none` when no route matched.
    let method: String
    let code: Int
}

/// The label `plugin`, of a bounded number of plugins.
struct PluginLabels: Sendable {
    /// Maximum number of plugins with a label of their own. The series of all further plugins are one, so that a host
    /// on which plugins come and go does not grow.
    static let most = 1_000
    static let other = "other"
    /// The value of the labels `kind` and `lane` for work that an earlier host process started.
    static let unknown = "unknown"

    private var known: Set<PluginIdentifier> = []

    mutating func label(of plugin: PluginIdentifier) -> String {
        if known.contains(plugin) { return plugin.text }
        guard known.count < Self.most else { return Self.other }
        known.insert(plugin)
        return plugin.text
    }
}
