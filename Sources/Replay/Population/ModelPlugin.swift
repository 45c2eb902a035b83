// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A main plugin in a replay: its requests and the behavior of its tasks. No plugin code runs.
package struct ModelPlugin: Hashable, Sendable {
    package var identifier: PluginIdentifier
    package var tasks: [ModelTask]
    package var extensions: [ModelExtension]
    /// Relative weight of the plugin in the choice of a plugin for each user action of the replay.
    package var use: Int

    package init(
        _ identifier: PluginIdentifier,
        tasks: [ModelTask],
        extensions: [ModelExtension] = [],
        use: Int = 1
    ) {
        self.identifier = identifier
        self.tasks = tasks
        self.extensions = extensions
        self.use = use
    }
}

/// One task of a main plugin in a replay: its requests and the behavior of its runs. The pushes to a plugin are a task
/// of the kind `push`.
package struct ModelTask: Hashable, Sendable {
    /// The point of a run at which the task submits its next request.
    package enum Resubmission: String, Hashable, Sendable, CaseIterable {
        case atStart = "at-start"
        case atEnd = "at-end"
        case never
    }

    package var identifier: TaskIdentifier
    package var kind: TaskKind
    /// Delay of the earliest begin of each request that the task submits for its next run, and maximum delay of its
    /// first request; nil when the plugin does not submit the task. For pushes, the time between two of them.
    package var every: Duration?
    package var requiresNetwork = false
    package var requiresExternalPower = false
    package var takes: RunTimes
    /// Percentage of runs that complete as failed.
    package var fails = 0
    /// The retries after failures that the plugin's manifest proposes; nil for none.
    package var retry: FailureRetry?
    /// Percentage of runs that crash the process.
    package var crashes = 0
    /// Percentage of runs that never complete, even after an expiration.
    package var overruns = 0
    /// Whether a run that expires completes as failed within the grace period. A run that overruns never does.
    package var obeys = true
    package var resubmits = Resubmission.atStart
    /// Whether the task keeps a cursor: after a run that ended early, the next run does the rest of the work.
    package var continues = false

    package init(_ identifier: TaskIdentifier, kind: TaskKind, every: Duration? = nil, takes: RunTimes) {
        self.identifier = identifier
        self.kind = kind
        self.every = every
        self.takes = takes
    }
}

/// An extension in a replay. Triggers launch it, and each run may submit a task of its main plugin.
package struct ModelExtension: Hashable, Sendable {
    package var identifier: PluginIdentifier
    package var takes: RunTimes
    package var submits: TaskIdentifier?

    package init(_ identifier: PluginIdentifier, takes: RunTimes, submits: TaskIdentifier? = nil) {
        self.identifier = identifier
        self.takes = takes
        self.submits = submits
    }
}
