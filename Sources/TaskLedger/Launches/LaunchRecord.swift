// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A launch as the ledger remembers it, running or over. Nothing is decided from it.
package struct LaunchRecord: Hashable, Sendable {
    package let number: LaunchNumber
    package let plugin: PluginIdentifier
    /// The one that it moved to last.
    package let lane: Lane
    package let cause: LaunchCause
    package let startedAt: WallTime
    /// Nil without a fixed budget.
    package let budget: Duration?
    package let grace: Duration
    package let process: RunnerProcess
    package let manifestDigest: String
    package let libraryDigest: String
    /// Nil while it runs.
    package let end: LaunchEnd?
    /// In the order of the batch.
    package let tasks: [Task]

    /// One task of the batch.
    package struct Task: Hashable, Sendable {
        package let submission: SubmissionNumber
        package let kind: TaskKind
        /// The task identifier, or an event's name.
        package let label: String
        /// Attempts that were charged before this launch.
        package let attempts: Int
        /// The last outcome that the journal gave it in this launch.
        package let outcome: TaskOutcome?
    }
}
