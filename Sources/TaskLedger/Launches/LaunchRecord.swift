// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A running or ended launch, as read from the ledger for display. No decision depends on it.
package struct LaunchRecord: Hashable, Sendable {
    package let number: LaunchNumber
    package let plugin: PluginIdentifier
    /// The lane of the launch: while it runs, the present one; after its end, the last one.
    package let lane: Lane
    package let cause: LaunchCause
    package let startedAt: WallTime
    /// The budget of the launch; nil without a fixed budget.
    package let budget: Duration?
    package let gracePeriod: Duration
    package let process: RunnerProcess
    package let manifestDigest: String
    package let libraryDigest: String
    /// The end of the launch; nil while it runs.
    package let end: LaunchEnd?
    /// The tasks of the launch, in the order of the batch.
    package let tasks: [Task]

    /// One task of the launch.
    package struct Task: Hashable, Sendable {
        package let submission: SubmissionNumber
        package let kind: TaskKind
        /// The task identifier, or the name of an event.
        package let label: String
        /// Number of attempts that were charged to the task before this launch.
        package let attempts: Int
        /// The last outcome of the task in this launch, as journaled; nil before the first one.
        package let outcome: TaskOutcome?
        /// The submitter of the request; nil for an event.
        package let submitter: Submitter?
        /// The time at which the request was submitted, or the event created.
        package let submittedAt: WallTime
        /// The earliest begin of the request; nil without one, and for an event.
        package let earliestBegin: WallTime?
    }
}
