// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A main plugin as a replay knows it: by what it asks for and how its tasks behave. None of its code runs.
package struct ModelPlugin: Hashable, Sendable {
    package var identifier: PluginIdentifier
    package var tasks: [ModelTask]
    package var extensions: [ModelExtension]
    /// How often people turn to it, beside other plugins.
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

/// One identifier of a main plugin.
package struct ModelTask: Hashable, Sendable {
    /// When it asks for its next run.
    package enum Resubmission: String, Hashable, Sendable, CaseIterable {
        case atStart = "at-start"
        case atEnd = "at-end"
        case never
    }

    package var identifier: TaskIdentifier
    package var kind: TaskKind
    /// How long after a submission the next run may begin. Nil: it is submitted by others alone.
    package var every: Duration?
    package var requiresNetwork = false
    package var requiresExternalPower = false
    package var takes: RunTimes
    /// Percent of its runs that complete as failed, take the process down, or never end.
    package var fails = 0
    package var crashes = 0
    package var overruns = 0
    /// Whether it completes when it is told to stop.
    package var obeys = true
    package var resubmits = Resubmission.atStart

    package init(_ identifier: TaskIdentifier, kind: TaskKind, every: Duration? = nil, takes: RunTimes) {
        self.identifier = identifier
        self.kind = kind
        self.every = every
        self.takes = takes
    }
}

/// Woken by triggers; may ask for a task of its main plugin each time.
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
