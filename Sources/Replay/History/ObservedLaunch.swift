// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// One ended launch of a host's history, with its runs.
package struct ObservedLaunch: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let cause: LaunchCause
    package let startedAt: WallTime
    package let endedAt: WallTime
    package let outcome: LaunchOutcome
    package let runs: [ObservedRun]

    package init(
        plugin: PluginIdentifier,
        cause: LaunchCause,
        startedAt: WallTime,
        endedAt: WallTime,
        outcome: LaunchOutcome,
        runs: [ObservedRun]
    ) {
        self.plugin = plugin
        self.cause = cause
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.outcome = outcome
        self.runs = runs
    }

    /// Whether the plugin failed before any of its tasks began.
    var failedToLoad: Bool { outcome == .loadFailed || outcome == .entryFailed }
}

/// One run of a requested task. Events have no observed runs.
package struct ObservedRun: Hashable, Sendable {
    package let identifier: TaskIdentifier
    package let kind: TaskKind
    /// The number of the request. Runs of one requeued request have the same number.
    package let submission: SubmissionNumber
    package let submitter: Submitter
    package let submittedAt: WallTime
    package let earliestBegin: WallTime?
    package let took: Duration
    package let outcome: TaskOutcome

    package init(
        identifier: TaskIdentifier,
        kind: TaskKind,
        submission: SubmissionNumber,
        submitter: Submitter,
        submittedAt: WallTime,
        earliestBegin: WallTime? = nil,
        took: Duration,
        outcome: TaskOutcome
    ) {
        self.identifier = identifier
        self.kind = kind
        self.submission = submission
        self.submitter = submitter
        self.submittedAt = submittedAt
        self.earliestBegin = earliestBegin
        self.took = took
        self.outcome = outcome
    }
}
